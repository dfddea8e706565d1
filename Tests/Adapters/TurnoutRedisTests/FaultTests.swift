import Foundation

/// Failing servers, and the effect on callers of the store.
@Suite(.blocking) struct RedisFaultTests {
    @Test func nothingAcknowledgedIsLostWithAServerThatIsKilled() async throws {
        let server = try await RedisServer("--appendonly", "yes")
        let options = server.options
        let load = try WriteLoad(options, writers: 4)
        for _ in 0..<3 {
            try await load.waitForMore(200)
            server.kill()
            try await wait("writes that fail") { load.failureCount > 0 }
            try await server.start()
        }
        try await load.waitForMore(200)
        try await load.stop()
        try load.check(RedisProfileStore(options))
    }

    @Test func brokenConnectionsAreReplaced() async throws {
        let server = try await RedisServer()
        let store = try RedisProfileStore(server.options)
        for round in 0..<20 {
            try store.save(["\(round)": "v"], for: "ada")
            #expect(try server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") != "0")
            #expect(try store.profile(of: "ada").assignments.count == round + 1)
            try server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            #expect(try store.profiles(of: ["ada", "grace"])["ada"]?.assignments.count == round + 1)
        }
    }

    @Test func aPausedServerIsNotCalledUntilItRecovers() async throws {
        let server = try await RedisServer()
        let store = try server.options.store { $0.timeout = .milliseconds(200) }
        try await wait("a first reply") { (try? store.save(["1": "2"], for: "ada")) != nil }
        server.signal(SIGSTOP)
        var codes: [ProfileServerError.Code] = []
        for _ in 0..<20 {
            do { _ = try store.profile(of: "ada") } catch {
                codes.append(try #require(error as? ProfileServerError).code)
            }
        }
        #expect(codes.count == 20 && codes.first == .deadlineExceeded && codes.contains(.unreachable))
        server.signal(SIGCONT)
        try await wait("a server that responds again") { (try? store.profile(of: "ada")) == UserProfile(["1": "2"]) }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func fullServersRefuse(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer("--maxmemory-policy", "noeviction")
        let store = try server.options.store(layout) { $0.timeToLive = .seconds(600) }
        try store.save(["1": "2"], for: "ada-lovelace")
        try server.ask("CONFIG", "SET", "maxmemory", "1000")
        #expect { try store.save(["3": "4"], for: "ada-lovelace") } throws: { code($0) == .full }
        #expect(try store.profile(of: "ada-lovelace") == UserProfile(["1": "2"]))
        try server.ask("CONFIG", "SET", "maxmemory", "0")
        try store.save(["3": "4"], for: "ada-lovelace")
        #expect(try store.profile(of: "ada-lovelace") == UserProfile(["1": "2", "3": "4"]))
    }

    @Test func fullServersEvictUsersIfConfigured() async throws {
        let server = try await RedisServer("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-lru")
        let store = try RedisProfileStore(server.options)
        let value = String(repeating: "v", count: 1_000)
        for user in 0..<5_000 { try store.save(["1": value], for: "user \(user)") }
        #expect(try store.profile(of: "user 4999") == UserProfile(["1": value]))
        #expect(try 1..<5_000 ~= store.count)
    }

    @Test func keysOfOtherTypesAreNotChanged() async throws {
        let server = try await RedisServer()
        try server.ask("RPUSH", "ada-lovelace", "x")
        for layout in [RedisOptions.Layout.hash, .agent] {
            let store = try server.options.store(layout) { ($0.prefix, $0.timeToLive) = ("", .seconds(5)) }
            #expect { try store.profile(of: "ada-lovelace") } throws: { code($0) == .foreignValue }
            #expect { try store.profiles(of: ["a", "ada-lovelace"]) } throws: { code($0) == .foreignValue }
            #expect { try store.save(["1": "2"], for: "ada-lovelace") } throws: { code($0) == .foreignValue }
            try store.save(["1": "2"], for: "grace \(layout)")
        }
        #expect(try server.ask("LLEN", "ada-lovelace") == "1")
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func largeAndUnusualTextsAreStoredExactly(_ layout: RedisOptions.Layout) async throws {
        let server = try await RedisServer()
        let store = try server.options.store(layout)
        let large = String(repeating: "0123456789abcdef", count: 65_536)
        let users = ["", " ", "\r\n", "a\u{0}b", "{", "{}", "{a}", "👩‍👩‍👧", String(repeating: "é", count: 5_000)]
        for user in users {
            try store.save(["large": large, "\r\n": "\u{0}"], for: user)
            try store.save(["small": user], for: user)
        }
        for (user, profile) in try store.profiles(of: users) {
            #expect(profile.assignments == ["large": large, "\r\n": "\u{0}", "small": user])
        }
        #expect(try store.count == users.count)
    }

    @Test func refusalsOfServersAreReported() async throws {
        let server = try await RedisServer("--requirepass", "s3cret", "--rename-command", "HGETALL", "")
        func failure(_ change: (inout RedisOptions) -> Void) throws -> ProfileServerError? {
            let store = try server.options.store(nil, change)
            do { _ = try store.profile(of: "ada-lovelace") } catch { return error as? ProfileServerError }
            return nil
        }
        let failures = [
            (try failure { $0.layout = .agent }, ProfileServerError.Code.refused),
            (try failure { $0.password = "wr0ng" }, .refused),
            (try failure { ($0.username, $0.password) = ("ada", "s3cret") }, .refused),
            (try failure { ($0.password, $0.database) = ("s3cret", 99) }, .refused),
            (try failure { $0.password = "s3cret" }, .rejected),
            (try failure { $0.servers = .one(.host("127.0.0.1", port: 1)) }, .unreachable),
            (try failure { $0.servers = .one(.host("host.invalid")) }, .unreachable),
            (try failure { $0.servers = .one(.unixSocket(path: "/dev/null")) }, .unreachable),
            (try failure { $0.servers = .cluster([.host("127.0.0.1", port: 1)]) }, .unreachable),
        ]
        for (error, code) in failures {
            #expect(error?.code == code)
            let text = try #require(error).description
            #expect(!text.contains("lovelace") && !text.contains("s3cret") && !text.contains("wr0ng"))
        }
    }

    @Test(arguments: [
        "", "*", "+OK\r\n", "$-1\r\n", "*-1\r\n", ":1\r\n", ":99999999999999999999999\r\n", "$99999999999\r\n",
        "*3\r\n$1\r\na\r\n", "*3\r\n:1\r\n:2\r\n:3\r\n", "*2\r\n$-1\r\n*0\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", "*2147483647\r\n", "*-7\r\n", "-\r\n",
        "-MOVED\r\n", "-MOVED x y\r\n", "-MOVED 99999 a:1\r\n", "-ASK 1 :0\r\n", "-MOVED 1 127.0.0.1:1\r\n",
        "$5\r\nabc", "HTTP/1.1 200 OK\r\n\r\n", "\u{0}\u{0}\r\n", "*2\r\n$1\r\na\r\n$2\r\n",
    ])
    func nonsenseIsTakenForNothing(_ reply: String) async throws {
        try await blocking {
            for cuts in [true, false] {
                let server = try FakeServer(reply, cuts: cuts)
                for servers in [server.options.servers, cluster(of: server.options.servers)] {
                    for layout in [RedisOptions.Layout.hash, .agent] {
                        let store = try server.options.store(layout) {
                            ($0.servers, $0.timeout) = (servers, .milliseconds(10))
                            $0.timeToLive = layout == .agent ? .seconds(1) : nil
                        }
                        try hearNonsense(store)
                    }
                }
            }
        }
    }

    private func hearNonsense(_ store: RedisProfileStore) throws {
        do { #expect(try store.profile(of: "ada").assignments.isEmpty) } catch {
            #expect(error is ProfileServerError)
        }
        // Depending on timing, the server may be in back-off after the first response.
        do {
            #expect(try store.profiles(of: ["ada", "grace"]).values.allSatisfy(\.assignments.isEmpty))
        } catch { #expect(error is ProfileServerError) }
        _ = try? store.save(["1": "2"], for: "ada")
        do { #expect(try store.count == 0) } catch { #expect(error is ProfileServerError) }
    }

    private func cluster(of servers: RedisOptions.Servers) -> RedisOptions.Servers {
        if case .one(let address) = servers { .cluster([address]) } else { servers }
    }

    private func code(_ error: any Error) -> ProfileServerError.Code? {
        "\(error)".contains("lovelace") ? nil : (error as? ProfileServerError)?.code
    }

    // MARK: Redis partition
    // A network that truncates responses, holds back all data and recovers, while many threads read and write.

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
