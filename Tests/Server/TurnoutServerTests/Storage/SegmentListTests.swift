import TestSupport
import TurnoutServer

/// What queries and management rely on.
///
/// The lists and devices guarantee that
/// - a change of a list adds, removes or replaces users, and counts those that it changed;
/// - pages of a list are in the order of bytes, and complete;
/// - a change beyond a limit changes nothing;
/// - a device belongs to the user of its latest link, and a user has the latest devices;
/// - a forgotten user is in no list and has no devices;
/// - devices that are not seen are forgotten;
/// - ids and names are compared by their bytes, and removing from an unknown list creates none.
@Suite(.blocking) struct SegmentListTests {
    private let directory = TemporaryDirectory()

    private func make(_ limits: SegmentLimits) -> SegmentDatabase {
        SegmentDatabase(directory: directory.path, limits, survives: .processDeath, log: directory.log)
    }

    private static func counts(added: Int = 0, removed: Int = 0) -> SegmentChange.Counts {
        var counts = SegmentChange.Counts()
        (counts.added, counts.removed) = (added, removed)
        return counts
    }

    /// The names of the segments that contain one of some ids, in order.
    private static func segments(of ids: [String], in store: SegmentDatabase) throws -> [String] {
        try store.segments(of: ids).map(\.text).sorted()
    }

    @Test func changesLists() throws {
        let store = make(SegmentLimits())
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

    @Test func pagesLists() throws {
        let store = make(SegmentLimits())
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

    @Test func keepsLimits() throws {
        var limits = SegmentLimits()
        (limits.users, limits.lists) = (4, 2)
        let store = make(limits)
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

    @Test func tiesDevices() throws {
        var limits = SegmentLimits()
        limits.devicesOfUser = 2
        let store = make(limits)
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

    @Test func comparesBytes() throws {
        let (composed, decomposed) = ("zo\u{EB}", "zoe\u{308}")
        let store = make(SegmentLimits())
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

    @Test func forgets() throws {
        let store = make(SegmentLimits())
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
