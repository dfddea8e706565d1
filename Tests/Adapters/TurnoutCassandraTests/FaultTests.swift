/// Nodes that fail, and the effect on callers of the store.
@Suite(.needsDriver, .blocking) struct CassandraFaultTests {
    private let cluster: TestCluster

    init() throws { cluster = try TestCluster() }

    @Test func aNodeThatIsGoneIsReplacedByOthers() async throws {
        let store = try cluster.store { $0.timeout = .seconds(10) }
        let users = (0..<20).map { "user \($0)" }
        for user in users { try store.save(["1": "a"], for: user) }
        for node in cluster.nodes {
            try cluster.takeDown(node)
            for user in users {
                try store.save(["\(node)": "b"], for: user)
                #expect(try store.profile(of: user).assignments["\(node)"] == "b")
            }
            try cluster.bringUp(node)
            try cluster.resetCounts()
            try await wait("requests to node \(node)") {
                _ = try store.profiles(of: users)
                return try cluster.counts[node].reads > 0
            }
        }
    }

    @Test func withoutNodesCallsFailAtOnceUntilOneReturns() async throws {
        let store = try cluster.store { ($0.timeout, $0.consistency) = (.seconds(10), .localOne) }
        try store.save(["1": "a"], for: "ada-lovelace")
        try cluster.takeDown()
        try await wait("the outage") {
            do { _ = try store.profile(of: "ada-lovelace") } catch { return code(error) == .unreachable }
            return false
        }
        let start = ContinuousClock.now
        for _ in 0..<100 {
            #expect { try store.profile(of: "ada-lovelace") } throws: { code($0) == .unreachable }
            #expect { try store.save(["2": "b"], for: "ada-lovelace") } throws: { code($0) == .unreachable }
        }
        #expect(start.duration(to: .now) < .seconds(9), "a call that waited would take ten seconds")
        try cluster.bringUp(1)
        try await wait("a node that is back") { (try? store.profile(of: "ada-lovelace")) == UserProfile(["1": "a"]) }
    }

    @Test func aStoreThatStartsWithoutNodesUsesThemLater() async throws {
        try cluster.takeDown()
        let store = try cluster.store { ($0.timeout, $0.consistency) = (.seconds(10), .localOne) }
        #expect { try store.profile(of: "ada-lovelace") } throws: { code($0) == .unreachable }
        try cluster.bringUp(2)
        try await wait("a node that is there") { (try? store.profile(of: "ada-lovelace")) == UserProfile() }
    }

    @Test func aSlowNodeIsNotWaitedFor() throws {
        let store = try cluster.store { $0.timeout = .seconds(20) }
        for user in 0..<20 { try store.save(["1": "a"], for: "user \(user)") }
        let fast = try cluster.store { $0.timeout = .seconds(2) }
        _ = try fast.profile(of: "unknown")
        try fast.save(["2": "b"], for: "user 0")
        try cluster.delay(milliseconds: 30_000, node: 1)
        for user in 0..<20 {
            try fast.save(["2": "b"], for: "user \(user)")
            #expect(try fast.profile(of: "user \(user)").assignments.count == 2)
        }
        try cluster.removeFaults()
    }

    @Test func silentNodesAreSkippedUntilTheyRespond() async throws {
        let store = try cluster.store { $0.timeout = .milliseconds(100) }
        try await wait("a first write") { (try? store.save(["1": "a"], for: "ada-lovelace")) != nil }
        try cluster.pause()
        var codes: [ProfileServerError.Code] = []
        for _ in 0..<40 {
            do { _ = try store.profile(of: "ada-lovelace") } catch { codes.append(try #require(code(error))) }
        }
        #expect(codes.count == 40 && codes.first == .deadlineExceeded && codes.contains(.unreachable))
        try cluster.resume()
        try await wait("nodes that respond again") {
            (try? store.profile(of: "ada-lovelace")) == UserProfile(["1": "a"])
        }
    }

    /// At its deadline many requests end without a response, which says nothing about the nodes.
    @Test func anOversizedCallDoesNotStopOthers() async throws {
        let store = try cluster.store { ($0.timeout, $0.concurrentLookups) = (.seconds(2), 64) }
        try await wait("a first lookup") { (try? store.profile(of: "unknown")) != nil }
        try cluster.delay(milliseconds: 20)
        let users = (0..<50_000).map { "user \($0)" }
        #expect { try store.profiles(of: users) } throws: { code($0) == .deadlineExceeded }
        // A first pause takes 50 ms.
        try await Task.sleep(for: .milliseconds(10))
        for _ in 0..<3 { #expect(try store.profile(of: "unknown") == UserProfile()) }
    }

    @Test func errorsOfNodesSayWhatHappened() throws {
        let store = try cluster.store { $0.timeout = .seconds(10) }
        try store.save(["1": "a"], for: "ada-lovelace")
        _ = try store.profile(of: "ada-lovelace")
        let faults: [(TestCluster.Fault, ProfileServerError.Code)] = [
            (.unavailable, .unavailable), (.overloaded, .unavailable), (.bootstrapping, .unavailable),
            (.readFailure, .unavailable), (.writeFailure, .unavailable), (.readTimeout, .deadlineExceeded),
            (.writeTimeout, .deadlineExceeded), (.unauthorized, .refused),
            (.serverError, .rejected), (.invalid, .rejected), (.syntax, .rejected),
        ]
        for (fault, expected) in faults {
            try cluster.fail(fault, times: 1_000)
            var found: [ProfileServerError.Code?] = []
            for call in [
                { _ = try store.profile(of: "ada-lovelace") }, { _ = try store.profiles(of: ["a", "ada-lovelace"]) },
                { try store.save(["2": "b"], for: "ada-lovelace") },
                { try store.save(["2": "b", "3": "c"], for: "ada-lovelace") },
                { try store.forget("ada-lovelace") }, { _ = try store.count },
            ] as [() throws -> Void] {
                do { try call() } catch { found.append(code(error)) }
            }
            // When all nodes are overloaded or failing, the driver has asked each in vain.
            #expect(found.count == 6 && found.allSatisfy { $0 == expected || $0 == .unreachable }, "\(fault): \(found)")
            try cluster.removeFaults()
            try waitBlocking("a count after \(fault)") { (try? store.count) != nil }
        }
        #expect(try store.profile(of: "ada-lovelace") == UserProfile(["1": "a"]))
    }

    /// A write whose confirmation is lost is there, or not; writing it again does no harm.
    @Test(arguments: [TestCluster.Fault.appliedWriteTimeout, .writeTimeout, .appliedSilence, .silence, .disconnection])
    func unconfirmedWritesMayBeRepeated(_ fault: TestCluster.Fault) async throws {
        let store = try cluster.store { $0.timeout = .milliseconds(500) }
        let direct = try cluster.store()
        try await wait("a first write") { (try? store.save(["1": "a"], for: "ada")) != nil }
        for round in 0..<3 {
            try cluster.fail(fault, times: 1_000, onlyWrites: true)
            let isConfirmed = (try? store.save(["1": "b\(round)", "2": "b"], for: "ada")) != nil
            #expect(!isConfirmed)
            try cluster.removeFaults()
            try direct.save(["1": "c\(round)"], for: "ada")
            #expect(try direct.profile(of: "ada").assignments["1"] == "c\(round)")
            try await wait("a write") { (try? store.save(["2": "d"], for: "ada")) != nil }
            #expect(try direct.profile(of: "ada") == UserProfile(["1": "c\(round)", "2": "d"]))
        }
    }

    @Test func aMissingTableIsReportedUntilItIsThere() async throws {
        let cluster = try TestCluster(hasTable: false)
        let store = try cluster.store()
        for _ in 0..<2 {
            let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada-lovelace") }
            #expect(error.flatMap { code($0) } == .badOptions)
            #expect(error?.message.contains("shop.turnout_assignments") == true)
            #expect(error?.message.contains("turnout profiles schema") == true)
        }
        #expect { try store.save(["1": "2"], for: "ada-lovelace") } throws: { code($0) == .badOptions }
        try cluster.createTable()
        try store.save(["1": "2"], for: "ada-lovelace")
        #expect(try store.profile(of: "ada-lovelace") == UserProfile(["1": "2"]))
    }

    @Test func wrongCredentialsAreRefusedAndNotShown() async throws {
        let cluster = try TestCluster(.init(user: "turnout", password: "right"))
        let log = MemoryLog()
        for credentials in [("lovelace", "s3cret"), nil] {
            let store = try cluster.store(log: log) {
                ($0.username, $0.password) = (credentials?.0, credentials?.1)
            }
            for _ in 0..<3 {
                #expect { try store.profile(of: "ada-lovelace") } throws: { code($0) == .refused }
            }
        }
        #expect(log.entries.allSatisfy { !$0.message.contains("s3cret") && !$0.message.contains("lovelace") })
        let store = try cluster.store { ($0.username, $0.password) = ("turnout", "right") }
        try store.save(["1": "2"], for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(["1": "2"]))
    }

    @Test func theDriverReportsToTheLogOfTheLatestStore() async throws {
        let log = MemoryLog()
        let store = try cluster.store(log: log)
        try store.save(["1": "2"], for: "ada")
        try cluster.takeDown()
        // Other tests of this process may create stores in the meantime, each with its own log.
        try await wait("a message, or the log of another store") {
            log.entries.contains { $0.level <= .warning && $0.message.hasPrefix("Cassandra") }
                || (try? cluster.store(log: log)) == nil
        }
    }

    @Test func whatNodesSayIsNotLogged() async throws {
        let log = MemoryLog()
        try await wait("the message of a node") {
            // Other tests of this process may create stores in the meantime, each with its own log.
            let store = try cluster.store(log: log)
            _ = try? store.profile(of: "unknown")
            try cluster.fail(.serverError, times: 3)
            _ = try? store.profile(of: "unknown")
            return log.entries.contains { $0.message.hasPrefix("Cassandra: the node 127.0.0.") }
        }
        #expect(log.entries.allSatisfy { !$0.message.contains("s3cret") })
    }
}
