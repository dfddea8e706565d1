import TurnoutCommandIO
import TurnoutCommands

/// `turnout profiles` with a cluster.
@Suite(.needsDriver, .blocking) struct CassandraProfilesCommandTests {
    @Test func usersAreShownDeletedAndCounted() throws {
        let cluster = try TestCluster()
        let store = try cluster.store()
        for user in UnusualUsers.ids { try store.save(["1": "a"], for: user) }
        #expect(try command("count", at: cluster.address()).output() == "\(UnusualUsers.ids.count)")
        for user in UnusualUsers.ids {
            let profile = try command("get", "-u", user, at: cluster.address()).output()
            #expect(profile.hasPrefix(#"{"experiment_bucket_map":{"1":{"variation_id":"a"}},"user_id":""#))
            let known = try command("delete", "-u", user, at: cluster.address()).output()
            #expect(known == "The user was known, and is forgotten.")
            let unknown = try command("delete", "-u", user, at: cluster.address()).output()
            #expect(unknown == "The user was not known.")
        }
        #expect(try command("count", at: cluster.address()).output() == "0")
    }

    @Test func aCheckPassesAndLeavesNothingBehind() async throws {
        let cluster = try TestCluster()
        try cluster.store().save(["1": "a"], for: "ada")
        let result = try await command("check", at: cluster.address("&ttl=1h")).check()
        #expect(result.isGood && result.text.hasPrefix("The store keeps its contract, alone and under every policy"))
        #expect(try cluster.store().count == 1)
    }

    @Test func aCheckSaysWhyItCannotRun() async throws {
        let cluster = try TestCluster(hasTable: false)
        let command = try command("check", at: cluster.address())
        let error = await #expect(throws: CommandError.self) { try await command.check() }
        #expect(error?.message.contains("there is no table shop.turnout_assignments") == true)
    }

    @Test func theSchemaNeedsNoServer() throws {
        let text = try command("schema", at: "cassandra://ada:s3cret@db1/shop?table=Kept&dc=eu").output()
        #expect(text.contains(#"CREATE TABLE "shop"."Kept" ("#) && text.contains("'eu': 3"))
        #expect(!text.contains("s3cret"))
        #expect(throws: CommandError.self) { try command("schema", at: "memcached://cache").output() }
    }

    private func command(_ line: String..., at address: String) throws -> ProfilesCommand {
        guard case .run(let arguments) = try ProfilesCommand.syntax.parse(line + ["--store", address]) else {
            throw TestFailure()
        }
        return try ProfilesCommand(arguments)
    }
}
