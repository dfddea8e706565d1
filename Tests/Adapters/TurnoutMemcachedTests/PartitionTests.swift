/// A network that truncates responses, holds back all data and recovers, while many threads read and write.
@Suite(.needsMemcached, .blocking) struct MemcachedPartitionTests {
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
