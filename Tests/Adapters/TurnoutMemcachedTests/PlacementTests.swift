/// Keys and their servers must not change between versions: users would lose their variation.
@Suite(.blocking) struct MemcachedPlacementTests {
    /// Expected values are those of libmemcached's `MEMCACHED_HASH_MD5`.
    @Test(
        arguments: [
            ("", 0xd98c_1dd4), ("a", 0xb975_c10c), ("0", 0x8420_cdcf), ("abc", 0x9850_0190),
            ("message digest", 0x7d69_6bf9), ("127.0.0.1:11211-0", 0x9a56_fae2), ("cache1:11211-159", 0x09a8_4151),
            ("turnout:ada", 0x8f4b_61b0), ("0🙂", 0xa4f4_cac0), ("3🙂", 0xd413_8012),
        ] as [(String, UInt32)])
    func keysHaveTheHashOfLibmemcached(_ text: String, _ hash: UInt32) { #expect(MD5.prefix(of: text) == hash) }

    @Test(
        arguments: [
            (55, 0x2044_3604), (56, 0xd572_8a66), (57, 0x8737_3069), (63, 0x20ca_c27d), (64, 0x814f_bbc1),
            (65, 0x0532_c91b), (119, 0x5f7a_34ab), (120, 0x7f66_98fb), (128, 0x1ab6_9cd6),
        ] as [(Int, UInt32)])
    func keysOfAnyLengthHaveIt(_ count: Int, _ hash: UInt32) {
        #expect(MD5.prefix(of: String(repeating: "x", count: count)) == hash)
    }

    /// Computed with Python's `hashlib` from the description of the hash ring.
    @Test func usersAreOnTheServersWhereTheyWere() {
        let ring = ServerRing([
            .host("cache1", port: 11_211), .host("cache2", port: 11_211), .unixSocket(path: "/run/memcached.sock"),
            .host("::1", port: 11_212),
        ])
        let servers = (0..<64).map { ring.server(of: "turnout:user-\($0)") { _ in true } ?? -1 }
        #expect(servers.map(String.init).joined() == "0232232010011203223002002133023121030102322203203320332130003332")
    }

    @Test(.needsMemcached) func valuesAndKeysAreThoseOfEarlierVersions() throws {
        let process = try MemcachedProcess()
        guard case .host(_, let port?) = process.server else { return }
        let options = MemcachedOptions.longTimeouts(process.server) { $0.prefix = "p:" }
        let store = try MemcachedProfileStore(options)
        try store.save(["1": "2"], for: "ada")
        try store.save(["3": "4"], for: "🙂")
        let client = PlainClient(port: port)
        #expect(
            try client.response("get p:ada\r\n", until: "END\r\n") == "VALUE p:ada 0 68\r\n"
                + #"{"experiment_bucket_map":{"1":{"variation_id":"2"}},"user_id":"ada"}"# + "\r\nEND\r\n")
        #expect(
            try client.get("p:#a4f4cac04b9e5e53175eb592d4138012")
                == #"{"experiment_bucket_map":{"3":{"variation_id":"4"}},"user_id":"🙂"}"#)
    }
}
