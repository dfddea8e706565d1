#if Memcached
    import Testing
    import TurnoutClient
    import TurnoutMemcached

    @Suite struct MemcachedOptionTests {
        @Test func addressesAreRead() throws {
            let options = try MemcachedOptions(
                url: "memcached://cache1,[::1]:11212,/run/a%2Cb.sock?prefix=shop%3A&ttl=30d&connections=3&retry=5s"
                    + "&connect-timeout=20ms&answer-timeout=30ms&deadline=1m")
            var expected = MemcachedOptions(servers: [
                .tcp(host: "cache1"), .tcp(host: "::1", port: 11_212), .socket(path: "/run/a,b.sock"),
            ])
            expected.prefix = "shop:"
            expected.timeToLive = .seconds(30 * 86_400)
            expected.maximumConnections = 3
            expected.retryInterval = .seconds(5)
            expected.connectTimeout = .milliseconds(20)
            expected.answerTimeout = .milliseconds(30)
            expected.deadline = .seconds(60)
            #expect(options == expected)
            #expect(options.servers.map(\.description) == ["cache1:11211", "[::1]:11212", "/run/a,b.sock"])
            #expect(try MemcachedOptions(url: "memcached:///a.sock").servers == [.socket(path: "/a.sock")])
            #expect(try MemcachedOptions(url: "memcached://a?ttl=7").timeToLive == .seconds(7))
        }

        @Test(arguments: [
            ("redis://a", "the address does not begin with memcached://"),
            ("memcached://", #""" is no server: expected host:port or /path"#),
            ("memcached://a,", #""" is no server: expected host:port or /path"#),
            ("memcached://a:0", #""a:0" is no server: expected host:port or /path"#),
            ("memcached://a:65536", #""a:65536" is no server: expected host:port or /path"#),
            ("memcached://a/b", #""a/b" is no server: expected host:port or /path"#),
            ("memcached://[::1", #""[::1" is no server: expected host:port or /path"#),
            ("memcached://a%2", #""a%2" is no server: expected host:port or /path"#),
            ("memcached://ada:secret@a", "names and passwords in the address are not supported"),
            ("memcached://a,a:11211", "a server is named twice"),
            ("memcached://a?prefix=a%20b", "the prefix is not up to 128 visible ASCII characters"),
            ("memcached://a?prefix", #"the parameter "prefix" has no value that can be read"#),
            ("memcached://a?ttl=soon", "ttl=soon is no time above 0, such as 250ms, 30s, 12h or 30d"),
            ("memcached://a?ttl=0", "ttl=0 is no time above 0, such as 250ms, 30s, 12h or 30d"),
            ("memcached://a?connections=0", "connections=0 is no number above 0"),
            ("memcached://a?password=x", #"there is no parameter "password""#),
        ])
        func addressesThatMakeNoSenseAreRefused(_ url: String, _ message: String) {
            let error = #expect(throws: MemcachedError.self) { try MemcachedOptions(url: url) }
            #expect(error?.code == .badOptions)
            #expect(error?.message == message)
        }

        @Test(
            arguments: [
                (nil, 0), (.zero, 1), (.milliseconds(1_001), 2), (.seconds(30 * 86_400), 30 * 86_400),
                (.seconds(30 * 86_400 + 1), 1_000_000_000 + 30 * 86_400 + 1), (.seconds(2_000_000_000), 0),
            ] as [(Duration?, Int)])
        func longTimesAreTimesOfDay(_ timeToLive: Duration?, _ expected: Int) {
            var options = MemcachedOptions()
            options.timeToLive = timeToLive
            #expect(options.expiration(at: .fixed(1_000_000_000_000)) == expected)
        }

        @Test func anotherServerMovesItsShareOnly() {
            let servers = (1...5).map { MemcachedServer.tcp(host: "cache\($0)") }
            let (few, many) = (ServerRing(Array(servers.prefix(4))), ServerRing(servers))
            var counts = [Int](repeating: 0, count: 5)
            for number in 0..<20_000 {
                let key = "turnout:user-\(number)"
                let (before, after) = (few.server(of: key) { _ in true }, many.server(of: key) { _ in true })
                #expect(after == before || after == 4, "nobody moves between servers that stay")
                #expect(many.server(of: key) { $0 != 4 } == before, "a server that is skipped is as one that is gone")
                counts[after ?? 0] += 1
            }
            #expect(counts.allSatisfy { (2_800...5_200).contains($0) }, "\(counts)")
            #expect(few.server(of: "x") { _ in false } == nil)
        }

        @Test func theOrderOfServersDoesNotMatter() {
            let servers = (1...5).map { MemcachedServer.tcp(host: "cache\($0)") }
            let (one, other) = (ServerRing(servers), ServerRing(servers.reversed()))
            for number in 0..<1_000 {
                #expect(
                    one.server(of: "\(number)") { _ in true }
                        == other.server(of: "\(number)") { _ in true }.map { 4 - $0 })
            }
        }
    }
#endif
