import Foundation

/// A client with Cassandra: users keep their variation, and decisions continue without the nodes.
@Suite(.needsDriver, .blocking) struct CassandraClientTests {
    private let clients = SplitClients()
    private let cluster: TestCluster

    init() throws { cluster = try TestCluster() }

    @Test func decisionsContinueDuringFaults() async throws {
        let users = UnusualUsers.ids + (0..<50).map { "lovelace \($0)" }
        let expected = clients.variations(users)
        let client = clients.client(try cluster.store(log: clients.log) { $0.timeout = .milliseconds(300) })
        let load = DecisionLoad(client, flag: "a", threads: 4, expected: expected)
        try await load.waitForMoreRemembered(100)
        try cluster.pause()
        try await load.waitForMoreWithoutProfile(10)
        try cluster.resume()
        try await load.waitForMoreRemembered(100)
        try cluster.takeDown()
        try await load.waitForMoreWithoutProfile(10)
        try cluster.bringUp()
        try await load.waitForMoreRemembered(100)
        for fault in [.unavailable, .readTimeout, .disconnection, .serverError] as [TestCluster.Fault] {
            try cluster.fail(fault, times: 100)
            try await load.waitForMore(100)
        }
        try cluster.removeFaults()
        try await load.waitForMoreRemembered(100)
        try await load.stop()
        clients.check(load, of: client)
        try clients.check(try cluster.store().profiles(of: users), expected)
    }

    @Test func decisionsKeepTheirDeadlineWithSilentNodes() async throws {
        let store = try cluster.store { $0.timeout = .seconds(20) }
        let plain = clients.client(store)
        let bounded = clients.client(store.applying(ProfilePolicy(deadline: .milliseconds(50)), log: .silent))
        #expect(plain.user("ada").decide("a").reasons.isEmpty)
        try cluster.pause()
        let start = ContinuousClock.now
        for _ in 0..<10 {
            for decision in [
                bounded.user("grace").decide("a"), await plain.user("grace").decide("a", within: .milliseconds(50)),
            ] {
                #expect(decision.variationKey != nil && decision.reasons == [.profileUnavailable])
            }
        }
        #expect(start.duration(to: .now) < .seconds(19), "a call that waited would take twenty seconds")
        try cluster.resume()
    }

    @Test func nothingAcknowledgedIsLostDuringFaults() async throws {
        let load = WriteLoad(try cluster.store { $0.timeout = .milliseconds(300) }, writers: 4)
        for _ in 0..<rounds(1, thorough: 2) {
            try await load.waitForMore(100)
            try cluster.pause()
            try await wait("failures") { load.failureCount > 0 }
            try cluster.resume()
            try await load.waitForMore(100)
            try cluster.takeDown()
            try await wait("failures") { load.failureCount > 0 }
            try cluster.bringUp()
            for fault in [
                TestCluster.Fault.appliedWriteTimeout, .writeTimeout, .silence, .disconnection, .writeFailure,
            ] { try cluster.fail(fault, times: 20, onlyWrites: true) }
            try await load.waitForMore(200)
            try cluster.removeFaults()
        }
        try await load.stop()
        #expect(load.failureTotal > 0)
        #expect(try load.lost(from: cluster.store()) == [])
        #expect(load.surprises.all == [])
    }
}

/// Not on threads for blocking calls, as the threads are counted.
@Suite(.needsDriver) struct CassandraWaitingTests {
    private let cluster: TestCluster

    init() throws { cluster = try TestCluster() }

    @Test func asynchronousDecisionsWaitWithoutThreads() async throws {
        let store = try cluster.store { $0.timeout = .seconds(20) }
        let client = SplitClients().client(store)
        _ = await client.user("ada").decide("a", within: .seconds(20))
        try cluster.delay(milliseconds: 1_000)
        let before = try Self.threadCount()
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    let decision = await client.user("user \(number)").decide("a", within: .seconds(20))
                    #expect(decision.reasons.isEmpty)
                }
            }
            try await wait("requests without a response") { try cluster.readCount > 100 }
            // Other tests run at the same time, but do not start hundreds of threads.
            #expect(try Self.threadCount() < before + 150)
            try cluster.removeFaults()
            try await group.waitForAll()
        }
        #expect(try await blocking { try store.count } == 301)
    }

    /// They neither wait without a limit, nor send requests that are late, nor count as an outage.
    @Test func callersOfASlowConnectionAreLimited() async throws {
        let store = try cluster.store { $0.timeout = .seconds(1) }
        try cluster.pause()
        try await withThrowingTaskGroup(of: ProfileServerError.Code?.self) { group in
            for number in 0..<1_200 {
                group.addTask {
                    do { _ = try await store.awaitProfile(of: "user \(number)") } catch { return code(error) }
                    return nil
                }
            }
            for _ in 0..<200 { #expect(try await group.next() == .some(.unavailable)) }
            // In real time, as the driver measures it: after the deadlines, and before the nodes count as down.
            try await Task.sleep(for: .milliseconds(1_100))
            try cluster.resume()
            for try await code in group { #expect(code == .deadlineExceeded) }
        }
        #expect(try cluster.readCount == 0)
        try await wait("a lookup") {
            do { return try await store.awaitProfile(of: "ada") == UserProfile() } catch {
                // Not skipped.
                #expect(code(error) == .deadlineExceeded)
                return false
            }
        }
    }

    @Test func lookupsWhoseCallerIsLateAreSkipped() async throws {
        let access = StoreAccess(try cluster.store(), log: .silent)
        #expect(await access.awaitAttempt("ada", unlessLate: { true }) == nil)
        #expect(try cluster.readCount == 0)
        #expect(await access.awaitAttempt("ada", unlessLate: { false })?.failure == nil)
        #expect(try cluster.readCount == 1)
    }

    private static func threadCount() throws -> Int {
        #if os(Linux)
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
        #else
            0
        #endif
    }
}
