/// Stores that share a server, each with its own connections, as on different machines.
@Suite(.blocking) struct RedisSharingTests {
    private let server: RedisServer

    init() async throws { server = try await RedisServer() }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func clientsDoNotLoseEachOthersAssignments(_ layout: RedisOptions.Layout) async throws {
        var options = server.options
        options.layout = layout
        let (users, stores, experiments) = (10, 8, rounds(5, thorough: 25))
        try await withThrowingTaskGroup { group in
            for number in 0..<stores {
                let store = try RedisProfileStore(options)
                group.addTask {
                    try await blocking {
                        for experiment in 0..<experiments {
                            for user in 0..<users {
                                try store.save(["\(number)-\(experiment)": "\(user)"], for: "user \(user)")
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try RedisProfileStore(options)
        #expect(try store.count == users)
        for (user, profile) in try store.profiles(of: (0..<users).map { "user \($0)" }) {
            #expect(profile.assignments.count == stores * experiments)
            #expect(profile.assignments.values.allSatisfy { user.hasSuffix($0) })
        }
    }

    @Test func processesDoNotLoseEachOthersAssignments() async throws {
        let (processes, users) = (8, rounds(200, thorough: 10_000))
        // The usual limits of connecting are too short for so many processes on a busy machine.
        let limits = "timeout=30s&connect-timeout=30s"
        await concurrently(0..<processes) { number in
            await #expect(processExitsWith: .success) {
                [
                    socket = server.socket as String, number = number as Int, users = users as Int,
                    limits = limits as String
                ] in
                let store = try RedisProfileStore(RedisOptions(url: "redis+unix://\(socket)?\(limits)"))
                for user in 0..<users { try store.save(["\(number)": "\(user)"], for: "user \(user)") }
            }
        }
        let store = try RedisProfileStore(RedisOptions(url: "redis+unix://\(server.socket)?\(limits)"))
        let profiles = try store.profiles(of: (0..<users).map { "user \($0)" })
        let whole = (0..<users).count { user in
            let own = Dictionary(uniqueKeysWithValues: (0..<processes).map { ("\($0)", "\(user)") })
            return profiles["user \(user)"] == UserProfile(own)
        }
        #expect(whole == users)
    }

    @Test func thousandsOfUsersAreLookedUpInOneCall() async throws {
        let store = try RedisProfileStore(server.options)
        let users = (0..<2_500).map { "user \($0)" }
        for user in users { try store.save(["1": user], for: user) }
        let profiles = try store.profiles(of: users.reversed() + ["unknown"])
        #expect(profiles.count == users.count + 1)
        #expect(users.allSatisfy { profiles[$0] == UserProfile(["1": $0]) })
        #expect(try store.count == users.count)
        try store.forget("user 7")
        try store.forget("unknown")
        #expect(try store.count == users.count - 1)
        #expect(try store.profile(of: "user 7") == UserProfile())
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func usersAreForgottenInTime(_ layout: RedisOptions.Layout) async throws {
        var options = server.options
        options.layout = layout
        options.prefix = "p:"
        options.timeToLive = .seconds(7_000)
        let store = try RedisProfileStore(options)
        try store.save(["1": "2"], for: "ada")
        #expect(try Int(server.ask("PTTL", "p:ada")).map { 6_000_000...7_000_000 ~= $0 } == true)
        try server.ask("EXPIRE", "p:ada", "10")
        try store.save(["2": "3"], for: "ada")
        #expect(try Int(server.ask("TTL", "p:ada")).map { 6_000...7_000 ~= $0 } == true)
        options.timeToLive = .milliseconds(1)
        let expiring = try RedisProfileStore(options)
        try expiring.save(["1": "2"], for: "grace")
        try await wait("an expired user") { try expiring.profile(of: "grace") == UserProfile() }
    }

    @Test func prefixesAreTakenLiterally() async throws {
        let store = try server.options.store { $0.prefix = #"a*[b]?\c-^:"# }
        try store.save(["1": "2"], for: "ada")
        try server.ask("SET", "axb:", "other")
        #expect(try store.count == 1)
        #expect(try server.options.store { $0.prefix = "" }.count == 2)
    }
}
