import Optimizely

/// Redis as a user profile service of the vendor's interface.
@Suite(.blocking) struct RedisServiceTests {
    @Test func usersAreSharedWithTurnoutClient() async throws {
        let server = try await RedisServer()
        let options = server.options
        let service = StoredUserProfileService(try RedisProfileStore(options), log: .silent)
        let client = OptimizelyClient(sdkKey: "key", userProfileService: service)
        try client.start(datafile: String(decoding: SplitClients.script.datafile, as: UTF8.self))
        let users = (0..<30).map { "lovelace \($0)" }
        let decided = users.map { client.createUserContext(userId: $0).decide(key: "a").variationKey }
        #expect(Set(decided).count == 2)
        let other = SplitClients().client(try RedisProfileStore(options))
        for (user, variation) in zip(users, decided) {
            let decision = other.user(user).decide("a")
            #expect(decision.stage == .storedAssignment && decision.variationKey == variation)
        }
        server.kill()
        let decision = client.createUserContext(userId: "lovelace 0").decide(key: "a", options: [.includeReasons])
        #expect(decision.variationKey == decided[0] && decision.reasons.contains("User profile unavailable."))
    }
}
