/// Networks that truncate, delay or trickle responses.
@Suite(.needsMemcached, .blocking) struct MemcachedNetworkFaultTests {
    let process: MemcachedProcess
    let proxy: FaultyProxy
    let direct: MemcachedProfileStore
    var options: MemcachedOptions

    init() throws {
        process = try MemcachedProcess()
        proxy = try FaultyProxy(to: process.server)
        options = .longTimeouts(process.server)
        direct = try MemcachedProfileStore(options)
        options.servers = [proxy.server]
    }

    /// A truncated response must never be taken for a user without assignments.
    @Test(arguments: [true, false])
    func truncatedResponsesAreErrors(_ isCut: Bool) throws {
        defer { proxy.stop() }
        let users = ["ada", "grace", "edsger"]
        for user in users { try direct.save(["1": user], for: user) }
        var options = options
        if !isCut { options.responseTimeout = .milliseconds(10) }
        var errors = 0
        for count in stride(from: 0, to: 500, by: isCut && isThorough ? 1 : 7) {
            proxy.behavior = isCut ? .cut(after: count) : .stall(after: count)
            do {
                let store = try MemcachedProfileStore(options, log: .silent)
                #expect(try store.profile(of: "ada").assignments == ["1": "ada"], "after \(count) bytes")
            } catch let error as ProfileServerError {
                #expect(error.isOfNetwork, "after \(count) bytes: \(error)")
                errors += 1
            }
            do {
                let store = try MemcachedProfileStore(options, log: .silent)
                let profiles = try store.profiles(of: users)
                #expect(profiles.count == 3 && profiles["ada"]?.assignments == ["1": "ada"], "after \(count) bytes")
            } catch let error as ProfileServerError {
                #expect(error.isOfNetwork, "after \(count) bytes: \(error)")
                errors += 1
            }
        }
        #expect(errors > 0)
    }

    @Test func acknowledgedAssignmentsSurviveTruncatedResponses() throws {
        defer { proxy.stop() }
        var expected: [String: String] = [:]
        var errors = 0
        for count in stride(from: 0, to: 250, by: isThorough ? 1 : 7) {
            proxy.behavior = .cut(after: count * 3)
            let store = try MemcachedProfileStore(options, log: .silent)
            do {
                try store.save(["\(count)": "v"], for: "ada \(count % 40)")
                expected["\(count)"] = "v"
            } catch is ProfileServerError { errors += 1 }
        }
        #expect(errors > 0 && !expected.isEmpty)
        let known = try (0..<40).reduce(into: [:]) { known, number in
            known.merge(try direct.profile(of: "ada \(number)").assignments) { $1 }
        }
        for experiment in expected.keys { #expect(known[experiment] == "v") }
    }

    @Test func aMissingResponseDoesNotShiftTheNextOne() async throws {
        defer { proxy.stop() }
        var options = options
        options.responseTimeout = .milliseconds(30)
        let store = try MemcachedProfileStore(options, log: .silent)
        for user in ["ada", "grace", "edsger"] { try direct.save(["1": user], for: user) }
        try await wait("a response") { (try? store.profile(of: "ada").assignments) == ["1": "ada"] }
        for _ in 0..<5 {
            proxy.behavior = .stall(after: 0)
            let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "grace") }
            #expect(error?.isOfNetwork == true)
            proxy.behavior = .pass
            for user in ["edsger", "unknown", "grace"] {
                try await wait("a response") {
                    guard let profile = try? store.profile(of: user) else { return false }
                    #expect(profile.assignments["1"] == (user == "unknown" ? nil : user))
                    return true
                }
            }
        }
    }

    @Test func slowResponsesEndAtTheDeadline() async throws {
        defer { proxy.stop() }
        var options = options
        // The pauses of a busy machine are shorter than the silence that marks a server as down.
        options.timeout = .seconds(3)
        options.responseTimeout = .milliseconds(1_500)
        options.connectTimeout = .milliseconds(1_500)
        // A server that is still sending, however slowly, is not marked as down.
        options.retryInterval = .seconds(3_600)
        options.maximumConnections = 2
        let store = try MemcachedProfileStore(options, log: .silent)
        try direct.save(["1": String(repeating: "x", count: 10_000)], for: "ada")
        proxy.behavior = .dribble(20)
        for _ in 0..<2 {
            let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
            #expect(error?.isOfNetwork == true)
        }
        proxy.behavior = .pass
        #expect(try store.profile(of: "unknown") == UserProfile())
        proxy.stop()
    }

    @Test(.thorough) func oneOfTwoServersThatStallsIsSkipped() async throws {
        defer { proxy.stop() }
        let other = try MemcachedProcess()
        var options = options
        options.servers = [proxy.server, other.server]
        // Long enough for the other request on a busy machine.
        options.responseTimeout = .seconds(15)
        options.retryInterval = .seconds(3_600)
        let log = MemoryLog()
        let store = try MemcachedProfileStore(options, log: log)
        proxy.behavior = .stall(after: 0)
        for number in 0..<50 { try store.save(["1": "2"], for: "user \(number)") }
        #expect(try store.profiles(of: (0..<50).map { "user \($0)" }).count == 50)
        #expect(
            log.entries.map(\.message) == [
                "memcached \(proxy.server): no response within 15 s; its users are kept by the next server, "
                    + "and it is tried again in about 60 min"
            ])
    }

    // MARK: Memcached partition
    // A network that truncates responses, holds back all data and recovers, while many threads read and write.

    @Test func nothingAcknowledgedIsLost() async throws {
        let process = try MemcachedProcess()
        let proxy = try FaultyProxy(to: process.server)
        defer { proxy.stop() }
        var options = MemcachedOptions.longTimeouts(process.server)
        let direct = try MemcachedProfileStore(options)
        let unchanged = Dictionary(uniqueKeysWithValues: (0..<50).map { ("\($0)", "\($0)") })
        try direct.save(unchanged, for: "unchanged")
        options.servers = [proxy.server]
        options.responseTimeout = .milliseconds(100)
        options.connectTimeout = .milliseconds(100)
        options.retryInterval = .milliseconds(20)
        let load = WriteLoad(
            try MemcachedProfileStore(options, log: .silent), writers: 4,
            lookingUp: (userID: "unchanged", profile: UserProfile(unchanged)))
        // Responses to additions have 8 bytes, those to lookups hundreds; all are truncated.
        try await proxy.misbehave([.cut(after: 5), .hold, .stall(after: 5), .cut(after: 100), .hold]) {
            try await load.waitForMore(100)
        } until: {
            try await wait("faults") { proxy.keptBackCount > 0 && load.failureCount > 0 }
        }
        try await load.stop()
        #expect(try load.lost(from: direct) == [])
        #expect(load.surprises.all == [])
        #expect(try direct.profile(of: "unchanged") == UserProfile(unchanged))
    }
}

extension ProfileServerError {
    fileprivate var isOfNetwork: Bool { [.unreachable, .deadlineExceeded, .unavailable].contains(code) }
}
