@Suite(.blocking) struct MemcachedOptionTests {
    @Test func addressesAreRead() throws {
        let options = try MemcachedOptions(
            url: "memcached://cache1,[::1]:11212,/run/a%2Cb.sock?prefix=shop%3A&ttl=30d&connections=3&retry=5s"
                + "&connect-timeout=20ms&response-timeout=30ms&timeout=1m")
        var expected = MemcachedOptions(servers: [
            .host("cache1", port: 11_211), .host("::1", port: 11_212), .unixSocket(path: "/run/a,b.sock"),
        ])
        expected.prefix = "shop:"
        expected.timeToLive = .seconds(30 * 86_400)
        expected.maximumConnections = 3
        expected.retryInterval = .seconds(5)
        expected.connectTimeout = .milliseconds(20)
        expected.responseTimeout = .milliseconds(30)
        expected.timeout = .seconds(60)
        #expect(options == expected)
        #expect(options.servers.map(\.description) == ["cache1:11211", "[::1]:11212", "/run/a,b.sock"])
        #expect(try MemcachedOptions(url: "memcached:///a.sock").servers == [.unixSocket(path: "/a.sock")])
        #expect(try MemcachedOptions(url: "memcached://a?ttl=7").timeToLive == .seconds(7))
    }

    @Test(arguments: [
        ("redis://a", "the address does not begin with memcached://"), ("memcached://", "host 1 has no name"),
        ("memcached://a,", "host 2 has no name"),
        ("memcached://a:0", "after host 1 and a colon there must be a port from 1 to 65535; IPv6 needs brackets"),
        ("memcached://a/b", "there is a path after the name of host 1"),
        ("memcached://s3cret:pw@a", "there is a user or a password, which this store does not send to memcached"),
        ("memcached://a,a:11211", "a server is named twice"),
        ("memcached://a?prefix=s3cret%20b", "the prefix is not up to 128 visible ASCII characters"),
        ("memcached://a?ttl=s3cret", "ttl is not a time above 0, such as 250ms, 30s, 12h or 90d"),
        ("memcached://a?connections=0", "connections is not a number from 1 to 1000"),
        (
            "memcached://a?s3cret=x",
            "the address has an unknown parameter; the known ones are prefix, ttl, timeout, connect-timeout, "
                + "connections, response-timeout, retry"
        ),
    ])
    func addressesThatMakeNoSenseAreRefused(_ url: String, _ message: String) {
        let error = #expect(throws: ProfileServerError.self) { try MemcachedOptions(url: url) }
        #expect(error?.code == .badOptions)
        #expect(error?.message == message)
    }

    @Test(
        arguments: [
            [], [.host("a"), .host("a")], [.host("")], [.host("a", port: 0)], [.unixSocket(path: "")],
            [.unixSocket(path: "/" + String(repeating: "x", count: 200))],
        ] as [[ProfileServerAddress]])
    func addressesThatCannotBeListenedOnAreRefused(_ servers: [ProfileServerAddress]) {
        #expect {
            try MemcachedProfileStore(MemcachedOptions(servers: servers))
        } throws: { ($0 as? ProfileServerError)?.code == .badOptions }
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

    @Test func addingAServerMovesOnlyItsShare() {
        let servers = (1...5).map { ProfileServerAddress.host("cache\($0)") }
        let (few, many) = (ServerRing(Array(servers.prefix(4))), ServerRing(servers))
        var counts = [Int](repeating: 0, count: 5)
        for number in 0..<20_000 {
            let key = "turnout:user-\(number)"
            let (before, after) = (few.server(of: key) { _ in true }, many.server(of: key) { _ in true })
            #expect(after == before || after == 4, "no user moves between the remaining servers")
            #expect(many.server(of: key) { $0 != 4 } == before, "a skipped server counts as absent")
            counts[after ?? 0] += 1
        }
        #expect(counts.allSatisfy { (2_800...5_200).contains($0) }, "\(counts)")
        #expect(few.server(of: "x") { _ in false } == nil)
    }

    @Test func theOrderOfServersDoesNotMatter() {
        let servers = (1...5).map { ProfileServerAddress.host("cache\($0)") }
        let (one, other) = (ServerRing(servers), ServerRing(servers.reversed()))
        for number in 0..<1_000 {
            #expect(
                one.server(of: "\(number)") { _ in true }
                    == other.server(of: "\(number)") { _ in true }.map { 4 - $0 })
        }
    }
}
