import Testing
import TurnoutClient
package import TurnoutServer

/// Checks that a store of segments fulfills its contract.
///
/// A store must guarantee that
/// - a change of a list adds, removes or replaces users, and counts those that it changed;
/// - pages of a list are in the order of bytes, and complete;
/// - a change beyond a limit changes nothing;
/// - parts of an upload change nothing before the last one, and replace the list then; the latest one may arrive again;
/// - another upload, a complete list and its deletion discard the parts of an upload;
/// - unfinished uploads count for the limits;
/// - a device belongs to the user of its latest link, and a user has the latest devices;
/// - a forgotten user is in no list and has no devices;
/// - devices that are not seen are forgotten;
/// - ids and names are compared by their bytes, and removing from an unknown list creates none.
package struct SegmentStoreContract: Sendable {
    private let make: @Sendable (_ limits: SegmentLimits) throws -> any SegmentStore

    /// Creates the check.
    ///
    /// - Parameter make: Creates an empty store with limits.
    package init(_ make: @escaping @Sendable (_ limits: SegmentLimits) throws -> any SegmentStore) { self.make = make }

    /// Runs all checks.
    package func check() throws {
        try changesLists()
        try pagesLists()
        try stagesUploads()
        try discardsUploads()
        try keepsLimits()
        try keepsLimitsOfUploads()
        try tiesDevices()
        try forgets()
        try comparesBytes()
    }

    private static func counts(added: Int = 0, removed: Int = 0) -> SegmentChange.Counts {
        var counts = SegmentChange.Counts()
        (counts.added, counts.removed) = (added, removed)
        return counts
    }

    /// The names of the segments that contain one of some ids, in order.
    private static func segments(of ids: [String], in store: any SegmentStore) throws -> [String] {
        try store.segments(of: ids).map(\.text).sorted()
    }

    private func changesLists() throws {
        let store = try make(SegmentLimits())
        #expect(try store.lists().isEmpty)
        #expect(try store.users(of: "vip", after: "", limit: 10) == nil)
        #expect(try store.change("vip", .remove(["ada"])) == Self.counts())
        #expect(try store.lists().isEmpty)
        #expect(try store.change("vip", .add(["ada", "grace", "ada"])) == Self.counts(added: 2))
        #expect(try store.change("vip", .add(["ada", "mary"])) == Self.counts(added: 1))
        #expect(try store.change("vip", .remove(["mary", "unknown"])) == Self.counts(removed: 1))
        #expect(try store.change("beta", .replace(["ada"])) == Self.counts(added: 1))
        #expect(try Self.segments(of: ["unknown", "ada"], in: store) == ["beta", "vip"])
        #expect(try store.change("vip", .replace(["grace", "joan", "joan"])) == Self.counts(added: 1, removed: 1))
        #expect(try Self.segments(of: ["ada"], in: store) == ["beta"])
        #expect(try store.lists() == [SegmentList(name: "beta", count: 1), SegmentList(name: "vip", count: 2)])
        #expect(try store.counts().members == 3)
        #expect(try store.removeList("vip"))
        #expect(try !store.removeList("vip"))
        #expect(try store.segments(of: ["joan"]).isEmpty)
        #expect(try store.counts().members == 1)
    }

    private func pagesLists() throws {
        let store = try make(SegmentLimits())
        let users = ["Zoë", "a", "b", "Ω", "é", "10", "9", "'; DROP TABLE members"]
        _ = try store.change("all", .add(users))
        var (found, last) = ([String](), "")
        while let page = try store.users(of: "all", after: last, limit: 3), let end = page.last {
            #expect(page.count <= 3)
            found += page
            last = end
        }
        #expect(found == users.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    private func stagesUploads() throws {
        let store = try make(SegmentLimits())
        _ = try store.change("vip", .add(["ada", "grace"]))
        func stage(_ users: [String], _ number: Int, isLast: Bool = false) throws -> SegmentChange.Counts {
            try store.stage(users, for: "vip", .init(of: "1", number: number, isLast: isLast), at: 1)
        }
        for part in [1, 1, 2, 2] { #expect(try stage(["grace", "user-\(part)"], part) == Self.counts()) }
        #expect(try store.users(of: "vip", after: "", limit: 10) == ["ada", "grace"])
        #expect(try store.segments(of: ["user-1"]).isEmpty)
        #expect(try store.lists() == [SegmentList(name: "vip", count: 2)])
        // Lists that are made meanwhile, and users that are forgotten.
        _ = try store.change("other", .add(["joan"]))
        _ = try store.forget(["user-1"])
        #expect(throws: SegmentUploadError()) { try stage(["x"], 1) }
        #expect(throws: SegmentUploadError()) { try stage(["x"], 4) }
        for _ in 0..<2 { #expect(try stage(["joan"], 3, isLast: true) == Self.counts(added: 2, removed: 1)) }
        for number in [2, 4] { #expect(throws: SegmentUploadError()) { try stage(["x"], number, isLast: true) } }
        #expect(try store.users(of: "vip", after: "", limit: 10) == ["grace", "joan", "user-2"])
        #expect(try store.users(of: "other", after: "", limit: 10) == ["joan"])
        #expect(try store.segments(of: ["ada"]).isEmpty)
        #expect(try Self.segments(of: ["joan"], in: store) == ["other", "vip"])
        #expect(try store.counts().members == 4)
        // The list is one as any other.
        #expect(try store.change("vip", .replace(["joan"])) == Self.counts(removed: 2))
        #expect(try store.change("new", .add(["mary"])) == Self.counts(added: 1))
        #expect(try store.users(of: "vip", after: "", limit: 10) == ["joan"])
        let fresh = try store.stage(["ada"], for: "fresh", .init(of: "2", number: 1, isLast: true), at: 1)
        #expect(fresh == Self.counts(added: 1))
    }

    private func discardsUploads() throws {
        var limits = SegmentLimits()
        limits.users = 4
        let store = try make(limits)
        _ = try store.change("vip", .add(["ada", "grace", "joan"]))
        _ = try store.stage(["1", "2"], for: "vip", .init(of: "1", number: 1), at: 1)
        // Another upload takes the place of the first one.
        _ = try store.stage(["3", "4"], for: "vip", .init(of: "2", number: 1), at: 5)
        #expect(throws: SegmentUploadError()) {
            try store.stage(["5"], for: "vip", .init(of: "1", number: 2, isLast: true), at: 6)
        }
        #expect(throws: SegmentLimitError.users(4)) {
            try store.stage(["5", "6", "7"], for: "vip", .init(of: "2", number: 2), at: 6)
        }
        _ = try store.stage(["5"], for: "vip", .init(of: "2", number: 2), at: 7)
        #expect(try store.expireUploads(before: 7) == 0)
        #expect(try store.expireUploads(before: 8) == 1)
        #expect(throws: SegmentUploadError()) {
            try store.stage(["6"], for: "vip", .init(of: "2", number: 3, isLast: true), at: 9)
        }
        #expect(try store.users(of: "vip", after: "", limit: 10) == ["ada", "grace", "joan"])
        #expect(try store.segments(of: ["3", "4", "5"]).isEmpty)
        // So does a complete list, but not a change of the users.
        _ = try store.stage(["3"], for: "vip", .init(of: "3", number: 1), at: 10)
        _ = try store.change("vip", .remove(["joan"]))
        _ = try store.stage(["4"], for: "vip", .init(of: "3", number: 2), at: 10)
        _ = try store.change("vip", .replace(["ada"]))
        #expect(try store.counts().stagedUsers == 0)
        #expect(throws: SegmentUploadError()) {
            try store.stage(["5"], for: "vip", .init(of: "3", number: 3, isLast: true), at: 11)
        }
        #expect(try store.users(of: "vip", after: "", limit: 10) == ["ada"])
        // An upload without users.
        for number in 1...2 {
            let isLast = number == 2
            func stage(mayBeEmpty: Bool) throws -> SegmentChange.Counts {
                let part = SegmentUploadPart(of: "e", number: number, isLast: isLast, mayBeEmpty: mayBeEmpty)
                return try store.stage([], for: "vip", part, at: 12)
            }
            guard isLast else {
                #expect(try stage(mayBeEmpty: false) == Self.counts())
                continue
            }
            #expect(throws: EmptyListError()) { try stage(mayBeEmpty: false) }
            #expect(try store.users(of: "vip", after: "", limit: 10) == ["ada"])
            #expect(try stage(mayBeEmpty: true) == Self.counts(removed: 1))
        }
        // And a deletion of the list.
        _ = try store.stage(["6"], for: "vip", .init(of: "4", number: 1), at: 12)
        #expect(try store.removeList("vip"))
        _ = try store.stage(["6"], for: "vip", .init(of: "5", number: 1), at: 12)
        #expect(try !store.removeList("vip"))
        #expect(throws: SegmentUploadError()) {
            try store.stage(["7"], for: "vip", .init(of: "5", number: 2, isLast: true), at: 13)
        }
        #expect(try store.lists().isEmpty)
    }

    private func keepsLimits() throws {
        var limits = SegmentLimits()
        (limits.users, limits.lists) = (4, 2)
        let store = try make(limits)
        _ = try store.change("a", .add(["1", "2"]))
        #expect(throws: SegmentLimitError.users(4)) { try store.change("a", .add(["3", "4", "5"])) }
        #expect(try store.users(of: "a", after: "", limit: 10) == ["1", "2"])
        _ = try store.change("b", .add(["1"]))
        #expect(throws: SegmentLimitError.lists(2)) { try store.change("c", .add(["1"])) }
        #expect(try store.link([.init(device: "vuid_1", user: "1"), .init(device: "vuid_2", user: "1")], at: 1) == 1)
        #expect(try store.ids(of: "1") == ["1", "vuid_1"])
        // A full store can still be emptied, and a list be replaced by a shorter one.
        #expect(try store.change("a", .replace(["9"])) == Self.counts(added: 1, removed: 2))
    }

    private func keepsLimitsOfUploads() throws {
        var limits = SegmentLimits()
        (limits.users, limits.lists) = (4, 2)
        let store = try make(limits)
        func stage(_ users: [String], _ list: String, _ number: Int, isLast: Bool = false) throws {
            _ = try store.stage(users, for: list, .init(of: list, number: number, isLast: isLast), at: 1)
        }
        try stage(["1", "2", "3", "4"], "a", 1)
        #expect(throws: SegmentLimitError.users(4)) { try stage(["5"], "b", 1) }
        #expect(throws: SegmentLimitError.users(4)) { try store.change("b", .add(["5"])) }
        #expect(try store.link([.init(device: "vuid_1", user: "1")], at: 1) == 1)
        // Without users, there is room for the list.
        try stage([], "b", 1)
        #expect(throws: SegmentLimitError.lists(2)) { try stage([], "c", 1) }
        #expect(throws: SegmentLimitError.lists(2)) { try store.change("c", .add(["1"])) }
        let counts = try store.counts()
        #expect(counts.lists == 0 && counts.members == 0 && counts.uploads == 2 && counts.stagedUsers == 4)
        for _ in 0..<2 { try stage([], "a", 2, isLast: true) }
        try stage([], "b", 2, isLast: true)
        #expect(try store.lists() == [SegmentList(name: "a", count: 4), SegmentList(name: "b", count: 0)])
        #expect(try store.counts().uploads == 0)
        #expect(try store.counts().stagedUsers == 0)
        // Replaced users make room.
        _ = try store.stage(["5", "6", "7", "8"], for: "a", .init(of: "again", number: 1), at: 1)
    }

    private func tiesDevices() throws {
        var limits = SegmentLimits()
        limits.devicesOfUser = 2
        let store = try make(limits)
        #expect(try store.ids(of: "ada") == ["ada"])
        for time in 1...3 {
            #expect(try store.link([.init(device: "vuid_\(time)", user: "ada")], at: Int64(time)) == 0)
        }
        #expect(try store.ids(of: "ada") == ["ada", "vuid_3", "vuid_2"])
        #expect(try store.devices(of: "ada") == ["vuid_1", "vuid_2", "vuid_3"])
        #expect(try store.devices(of: "vuid_1").isEmpty)
        #expect(try store.ids(of: "vuid_1") == ["vuid_1", "ada", "vuid_3", "vuid_2"])
        // Another user signs in on the device.
        _ = try store.link([.init(device: "vuid_3", user: "grace")], at: 4)
        #expect(try store.ids(of: "ada") == ["ada", "vuid_2", "vuid_1"])
        #expect(try store.ids(of: "vuid_3") == ["vuid_3", "grace"])
        #expect(try store.counts().devices == 3)
        #expect(try store.expireDevices(before: 3) == 2)
        #expect(try store.ids(of: "ada") == ["ada"])
        #expect(try store.counts().devices == 1)
    }

    private func comparesBytes() throws {
        let (composed, decomposed) = ("zo\u{EB}", "zoe\u{308}")
        let store = try make(SegmentLimits())
        #expect(try store.change("vip", .add([composed, decomposed])) == Self.counts(added: 2))
        #expect(try store.change("vip", .remove([composed])) == Self.counts(removed: 1))
        #expect(try store.users(of: "vip", after: "", limit: 10)?.map { Array($0.utf8) } == [Array(decomposed.utf8)])
        #expect(try store.segments(of: [composed]).isEmpty)
        #expect(try Self.segments(of: [decomposed], in: store) == ["vip"])
        _ = try store.change(composed, .add(["ada"]))
        #expect(try store.users(of: decomposed, after: "", limit: 10) == nil)
        _ = try store.change(decomposed, .add(["ada"]))
        #expect(try store.segments(of: ["ada"]).count == 2)
        _ = try store.link([.init(device: "vuid_1", user: composed)], at: 1)
        #expect(try store.ids(of: decomposed).count == 1)
        #expect(try store.ids(of: composed).count == 2)
    }

    private func forgets() throws {
        let store = try make(SegmentLimits())
        _ = try store.change("a", .add(["ada", "grace"]))
        _ = try store.change("b", .add(["ada"]))
        _ = try store.link([.init(device: "vuid_1", user: "ada")], at: 1)
        #expect(try store.forget(["ada"]))
        #expect(try !store.forget(["ada"]))
        #expect(try store.ids(of: "vuid_1") == ["vuid_1"])
        #expect(try store.lists() == [SegmentList(name: "a", count: 1), SegmentList(name: "b", count: 0)])
        #expect(try store.counts().devices == 0)
    }
}
