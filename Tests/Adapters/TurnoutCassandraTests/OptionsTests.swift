/// Addresses as text, and options.
@Suite(.blocking) struct CassandraOptionsTests {
    @Test func addressesAreRead() throws {
        let options = try CassandraOptions(
            url: "cassandra://ada:p%40ss%3Aw@db1.example,db2.example:9142/shop?table=Kept_1&dc=eu%20west"
                + "&consistency=local_one&ttl=90d&timeout=20ms&connect-timeout=5s&lookups=32&library=/opt/c.so")
        #expect(options.hosts == ["db1.example", "db2.example"] && options.port == 9_142)
        #expect(options.username == "ada" && options.password == "p@ss:w" && options.keyspace == "shop")
        #expect(options.table == "Kept_1" && options.dataCenter == "eu west" && options.consistency == .localOne)
        #expect(options.timeToLive == .seconds(90 * 86_400) && options.timeout == .milliseconds(20))
        #expect(options.connectTimeout == .seconds(5) && options.concurrentLookups == 32)
        #expect(options.library == "/opt/c.so" && options.tls == nil)
        let plain = try CassandraOptions(url: "cassandra://[::1]/shop")
        #expect(plain.hosts == ["::1"] && plain.port == 9_042 && plain.table == "turnout_assignments")
        #expect(plain == CassandraOptions(hosts: ["::1"], keyspace: "shop"))
        #expect(plain.consistency == .localQuorum && plain.dataCenter == nil && plain.timeToLive == nil)
        let encrypted = try CassandraOptions(
            url: "cassandra://a:1,b:1/k?ca=/etc/a%26b.pem&cert=/c.pem&key=/k.pem&tls=name")
        var tls = CassandraOptions.TLS()
        (tls.verification, tls.authorities, tls.certificate, tls.key) = (.name, "/etc/a&b.pem", "/c.pem", "/k.pem")
        #expect(encrypted.tls == tls && encrypted.port == 1)
    }

    @Test(arguments: [
        "", "cassandra", "cassandra:/h/k", "http://s3cret@h/k", "cassandra://h", "cassandra://h/", "cassandra:///k",
        "cassandra://:s3cret@h/k", "cassandra://ada@h/s3cret", "cassandra://h:0/k", "cassandra://a:1,b:2/s3cret",
        "cassandra://a/s3cret,b/k", "cassandra://h/s3cret-k", "cassandra://h/k/s3cret", "cassandra://a,,b/k",
        "cassandra://h/k?table=s3cret%22", "cassandra://h/k?table=", "cassandra://h/k?s3cret=1",
        "cassandra://h/k?consistency=s3cret", "cassandra://h/k?ttl=0", "cassandra://h/k?ca=/s3cret",
        "cassandra://h/k?tls=s3cret", "cassandra://h/k?tls=name&cert=/s3cret", "cassandra://h/k?lookups=0",
        "cassandra://h%2Cs3cret/k", "cassandra://h%20s3cret/k",
        "cassandra://h/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    ])
    func badAddressesSayWhatIsWrong(_ text: String) {
        #expect {
            try CassandraOptions(url: text)
        } throws: { error in
            (error as? ProfileServerError)?.code == .badOptions && !"\(error)".contains("s3cret")
                && "\(error)".count > 10
        }
    }

    @Test func credentialsAreNotShown() throws {
        let options = try CassandraOptions(url: "cassandra://lovelace:s3cret@h/k")
        var dumped = ""
        dump(options, to: &dumped)
        for text in ["\(options)", String(reflecting: options), dumped, "\([options])"] {
            #expect(!text.contains("s3cret") && !text.contains("lovelace") && text.contains("h:9042"))
        }
    }
}
