/// Addresses as text.
@Suite(.blocking) struct RedisOptionsTests {
    @Test func addressesAreRead() throws {
        let options = try RedisOptions(
            url: "redis://ada:p%40ss%3Aw@db.example:7000/2?prefix=shop%3A&ttl=90d&timeout=20ms")
        #expect(options.servers == .one(.host("db.example", port: 7_000)))
        #expect(options.username == "ada" && options.password == "p@ss:w" && options.database == 2)
        #expect(options.prefix == "shop:" && options.timeToLive == .seconds(90 * 86_400) && options.layout == .hash)
        #expect(options.timeout == .milliseconds(20) && options.connectTimeout == .milliseconds(250))
        let plain = try RedisOptions(url: "redis://[::1]/")
        #expect(plain.servers == .one(.host("::1", port: 6_379)) && plain.username == nil && plain.password == nil)
        let socket = try RedisOptions(url: "redis+unix://:pw@/run/redis.sock?db=3&layout=agent&connections=2")
        #expect(socket.servers == .one(.unixSocket(path: "/run/redis.sock")) && socket.password == "pw")
        #expect(socket.database == 3 && socket.layout == .agent && socket.maximumConnections == 2)
        let cluster = try RedisOptions(url: "redis-cluster://:p@a:7000,b,[::2]:7002?connect-timeout=5ms")
        #expect(
            cluster.servers == .cluster([.host("a", port: 7_000), .host("b", port: 6_379), .host("::2", port: 7_002)]))
        #expect(cluster.connectTimeout == .milliseconds(5) && cluster.password == "p")
        let encrypted = try RedisOptions(
            url: "rediss://:p@a/4?ca=/etc/a%26b.pem&cert=/c.pem&key=/k.pem&server-name=redis.example")
        #expect(
            encrypted.servers == .one(.host("a", port: 6_379)) && encrypted.database == 4 && encrypted.password == "p")
        var tls = RedisOptions.TLS()
        tls.authorities = "/etc/a&b.pem"
        (tls.certificate, tls.key, tls.serverName) = ("/c.pem", "/k.pem", "redis.example")
        #expect(encrypted.tls == tls && plain.tls == nil)
        let encryptedCluster = try RedisOptions(url: "rediss-cluster://a,b")
        #expect(encryptedCluster.servers == .cluster([.host("a", port: 6_379), .host("b", port: 6_379)]))
        #expect(encryptedCluster.tls == RedisOptions.TLS())
    }

    @Test(arguments: [
        "", "redis", "redis:/h", "http://s3cret@h", "rediss://:s3cret@h?cert=a", "rediss://:s3cret@h?key=a",
        "rediss:///s3cret.sock", "redis://:s3cret@h?ca=a", "redis-cluster://:s3cret@h?server-name=a",
        "rediss://:s3cret@a,b", "redis://", "redis://:s3cret@", "redis://h:s3cret", "redis://h:0", "redis://h:65536",
        "redis://h:-1", "redis://h/s3cret", "redis://s3cret@h", "redis://:s3cret%2@h", "redis://:s3cret%ff@h",
        "redis://h?s3cret=1", "redis://h?ttl=s3cret", "redis://h?layout=s3cret", "redis://h/-1", "redis://h?ttl=",
        "redis://h?ttl=1w", "redis://h?timeout=0", "redis://h?ttl=99999999999999999d", "redis://h?prefix",
        "redis://:s3cret@[::1", "redis://:s3cret@a,b", "redis:///s3cret.sock", "redis+unix://h",
        "redis://:s3/c?s3cret@h", "redis://h?connections=0", "redis+unix://:s3cret@", "redis-cluster://:s3cret@",
        "redis-cluster://:s3cret@a,,b", "redis-cluster://:s3cret@a:1/2", "redis-cluster://:s3cret@a?db=1",
        "redis://[::1", "redis://[::1]s3cret",
    ])
    func badAddressesSayWhatIsWrong(_ text: String) {
        #expect {
            try RedisOptions(url: text)
        } throws: { error in
            (error as? ProfileServerError)?.code == .badOptions && !"\(error)".contains("s3cret")
                && "\(error)".count > 10
        }
    }

    @Test func passwordsAreNotShown() throws {
        let options = try RedisOptions(url: "redis://ada:s3cret@h/1?prefix=p")
        var dumped = ""
        dump(options, to: &dumped)
        for text in ["\(options)", String(reflecting: options), dumped, "\([options])"] {
            #expect(!text.contains("s3cret") && text.contains("h:6379"))
        }
    }

    @Test func optionsThatContradictEachOtherAreRefused() {
        var cluster = RedisOptions(servers: .cluster([.host("a")]))
        cluster.database = 1
        var nameless = RedisOptions(servers: .one(.host("a", port: 6_379)))
        nameless.username = "ada"
        let longPath = RedisOptions(servers: .one(.unixSocket(path: "/" + String(repeating: "x", count: 200))))
        for options in [
            cluster, nameless, longPath, RedisOptions(servers: .cluster([])), RedisOptions(servers: .one(.host(""))),
        ] {
            #expect { try RedisProfileStore(options) } throws: { ($0 as? ProfileServerError)?.code == .badOptions }
        }
    }
}
