/// A network that truncates responses, holds back all data and recovers, while many threads read and write.
@Suite(.blocking) struct RedisPartitionTests {
    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func nothingAcknowledgedIsLost(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer()
        let proxy = try FaultyProxy(to: server.port)
        defer { proxy.stop() }
        var options = server.options
        options.layout = layout
        let direct = try RedisProfileStore(options)
        let unchanged = Dictionary(uniqueKeysWithValues: (0..<50).map { ("\($0)", "\($0)") })
        try direct.save(unchanged, for: "unchanged")
        options.servers = .one(.host("127.0.0.1", port: proxy.port))
        options.timeout = .milliseconds(100)
        let load = WriteLoad(
            try RedisProfileStore(options), writers: 4,
            lookingUp: (userID: "unchanged", profile: UserProfile(unchanged)))
        // Responses to additions have 4 bytes or more, those to lookups hundreds; all are truncated.
        try await proxy.misbehave([.cut(after: 3), .hold, .stall(after: 3), .cut(after: 100), .hold]) {
            try await load.waitForMore(100)
        } until: {
            try await wait("faults") { proxy.keptBackCount > 0 && load.failureCount > 0 }
        }
        try await load.stop()
        try load.check(direct)
        #expect(try direct.profile(of: "unchanged") == UserProfile(unchanged))
    }

    /// Responses that arrive after the timeout are not taken for those to the next request.
    @Test func lateResponsesAreNotAssignedToOtherCalls() async throws {
        let server = try await RedisServer()
        let proxy = try FaultyProxy(to: server.port)
        defer { proxy.stop() }
        var options = server.options
        let direct = try RedisProfileStore(options)
        let users = (0..<10).map { "user \($0)" }
        for user in users { try direct.save(["1": user], for: user) }
        options.servers = .one(.host("127.0.0.1", port: proxy.port))
        options.timeout = .milliseconds(50)
        options.maximumConnections = 1
        let store = try RedisProfileStore(options)
        for user in users {
            try await wait("a reply") { (try? store.profile(of: user)) == UserProfile(["1": user]) }
            proxy.behavior = .hold
            try await wait("a lookup that is late") {
                do { _ = try store.profile(of: "unknown") } catch {
                    return (error as? ProfileServerError)?.code == .deadlineExceeded
                }
                return false
            }
            proxy.behavior = .pass
            try await wait("a reply") {
                guard let profile = try? store.profile(of: user) else { return false }
                #expect(profile == UserProfile(["1": user]))
                return true
            }
        }
    }
}
