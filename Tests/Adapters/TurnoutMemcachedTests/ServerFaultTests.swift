import Foundation

/// A flag that ends work on other threads.
private final class End: Sendable {
    private let state = Locked(false)
    var isReached: Bool { state.withLock { $0 } }
    func reach() { state.withLock { $0 = true } }
}

/// Servers that crash, restart or run out of memory.
@Suite(.needsMemcached, .blocking) struct MemcachedServerFaultTests {
    @Test func aServerThatDiesUnderLoadIsSkippedAndUsedAgain() async throws {
        let (first, second) = (try MemcachedProcess(), try MemcachedProcess())
        let log = MemoryLog()
        let options = MemcachedOptions.longTimeouts(first.server, second.server)
        let store = try MemcachedProfileStore(options, log: log)
        let end = End()
        let says = { @Sendable (text: String) in log.entries.contains { $0.message.contains(text) } }
        try await withThrowingTaskGroup { group in
            for thread in 0..<4 {
                group.addTask { try await blocking { try work(on: store, thread) { end.isReached } } }
            }
            group.addTask {
                // Also after a failure: the others would otherwise work forever.
                defer { end.reach() }
                try await wait("calls") { try profileCount(in: store) > 0 }
                first.stop()
                try await wait("the server to be skipped") { says("its users are kept by the next server") }
                try first.restart()
                try await wait("the server to be used again") { says("\(first.server): responds again") }
            }
            try await group.waitForAll()
        }
        // Both store their share of the keys again.
        for number in 0..<200 { try store.save(["1": "2"], for: "after \(number)") }
        for server in [first.server, second.server] {
            var alone = options
            alone.servers = [server]
            let found = try MemcachedProfileStore(alone).profiles(of: (0..<200).map { "after \($0)" })
            #expect((20...180).contains(found.count))
        }
    }

    /// Every call must succeed, and its assignments must be stored as long as the server is the same.
    private func work(on store: MemcachedProfileStore, _ thread: Int, until isOver: () -> Bool) throws {
        var number = 0
        while !isOver() {
            let user = "user \(number % 50)"
            // A few experiments each, so that profiles stay small.
            try store.save(["\(thread)/\(number % 20)": "v"], for: user)
            _ = try store.profile(of: user)
            _ = try store.profiles(of: (0..<50).map { "user \($0)" })
            number += 1
            // Leaves the processor to other tests.
            Thread.sleep(forTimeInterval: 0.002)
        }
    }

    private func profileCount(in store: MemcachedProfileStore) throws -> Int {
        try store.profiles(of: (0..<50).map { "user \($0)" }).count
    }

    @Test func withoutAnyServerCallsFailUntilOneIsBack() async throws {
        let process = try MemcachedProcess()
        let store = try MemcachedProfileStore(.longTimeouts(process.server), log: .silent)
        try store.save(["1": "2"], for: "ada")
        process.stop()
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        #expect(error?.code == .unreachable)
        #expect(throws: ProfileServerError.self) { try store.profiles(of: ["ada", "grace"]) }
        #expect(throws: ProfileServerError.self) { try store.save(["1": "2"], for: "ada") }
        #expect(throws: ProfileServerError.self) { try store.forget("ada") }
        try process.restart()
        try await wait("the server to be used again") { (try? store.save(["1": "3"], for: "ada")) != nil }
        #expect(try store.profile(of: "ada").assignments == ["1": "3"])
    }

    @Test func aFailedProbeForManyUsersDoesNotDelayTheNext() async throws {
        let process = try MemcachedProcess()
        let options = MemcachedOptions.longTimeouts(process.server) { $0.retryInterval = .milliseconds(1) }
        let store = try MemcachedProfileStore(options, log: .silent)
        process.stop()
        #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        for _ in 0..<3 {
            try await wait("a probe that fails") {
                // Between the probes, the error names no server.
                let error = #expect(throws: ProfileServerError.self) { try store.profiles(of: ["ada", "grace"]) }
                return error?.server != nil
            }
        }
        try process.restart()
        let start = ContinuousClock.now
        try await wait("the server to be used again") { (try? store.profiles(of: ["ada"])) != nil }
        // Far below the time limit of a call, for which a probe reserves the server.
        #expect(start.duration(to: .now) < .seconds(30))
    }

    @Test func aHostWithoutAnAddressIsUnreachable() throws {
        let options = MemcachedOptions.longTimeouts(.host("nowhere.invalid"), .unixSocket(path: "/nowhere/socket"))
        let store = try MemcachedProfileStore(options, log: .silent)
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        #expect(error?.code == .unreachable)
    }

    @Test func aServerWithLittleMemoryEvictsProfiles() throws {
        let process = try MemcachedProcess(["-m", "8"])
        let store = try MemcachedProfileStore(.longTimeouts(process.server))
        let long = String(repeating: "x", count: 20_000)
        for number in 0..<1_000 { try store.save(["1": long + "\(number)"], for: "user \(number)") }
        let profiles = try store.profiles(of: (0..<1_000).map { "user \($0)" })
        #expect((1..<1_000).contains(profiles.count))
        for (user, profile) in profiles { #expect(profile.assignments["1"] == long + user.dropFirst(5)) }
    }

    @Test func aServerWithoutEvictionReportsThatItIsFull() throws {
        let process = try MemcachedProcess(["-m", "8", "-M"])
        let store = try MemcachedProfileStore(.longTimeouts(process.server))
        let long = String(repeating: "x", count: 20_000)
        var stored = 0
        let error = #expect(throws: ProfileServerError.self) {
            for number in 0..<1_000 {
                try store.save(["1": long], for: "user \(number)")
                stored += 1
            }
        }
        #expect(error?.code == .full)
        #expect(try store.profiles(of: (0..<1_000).map { "user \($0)" }).count == stored)
    }

    @Test func aProfileThatIsTooLargeKeepsTheEarlierOne() throws {
        let process = try MemcachedProcess()
        let store = try MemcachedProfileStore(.longTimeouts(process.server))
        try store.save(["1": "2"], for: "ada")
        let large = ["2": String(repeating: "x", count: 1_100_000)]
        for user in ["ada", "grace"] {
            let error = #expect(throws: ProfileServerError.self) { try store.save(large, for: user) }
            #expect(error?.code == .tooLarge)
            #expect(
                error?.description == "memcached \(process.server): the profile is larger than the server stores")
        }
        #expect(try store.profile(of: "ada").assignments == ["1": "2"])
        #expect(try store.profile(of: "grace").assignments == [:])
    }
}
