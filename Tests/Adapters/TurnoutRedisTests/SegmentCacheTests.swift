/// Segments as Optimizely's Agent caches them.
@Suite(.blocking) struct SegmentCacheTests {
    @Test func valuesMatchTheAgent() async throws {
        let server = try await RedisServer()
        let cache = try RedisSegmentCache(server.options)
        #expect(try cache.segments("fs_user_id-$-ada") == nil)
        try cache.save(["vip", "a\"b"], "fs_user_id-$-ada")
        #expect(try server.ask("GET", "fs_user_id-$-ada") == #"["vip","a\"b"]"#)
        #expect(try cache.segments("fs_user_id-$-ada") == ["vip", "a\"b"])
        try cache.save([], "fs_user_id-$-bob")
        #expect(try cache.segments("fs_user_id-$-bob") == [])
    }

    @Test(arguments: ["", "x", "{}", "[1]"]) func otherValuesAreNotSegments(value: String) async throws {
        let server = try await RedisServer()
        try server.ask("SET", "fs_user_id-$-ada", value)
        #expect(try RedisSegmentCache(server.options).segments("fs_user_id-$-ada") == nil)
    }

    @Test func onlySegmentsAreRemoved() async throws {
        let server = try await RedisServer()
        let cache = try RedisSegmentCache(server.options)
        try server.ask("SET", "ada", "{}")
        for number in 0..<1_500 { try cache.save(["vip"], "fs_user_id-$-\(number)") }
        try cache.save(["vip"], "vuid-$-vuid_1")
        try cache.removeAll()
        #expect(try server.ask("DBSIZE") == "1")
        #expect(try server.ask("GET", "ada") == "{}")
    }

    @Test func segmentsExpire() async throws {
        let server = try await RedisServer()
        try RedisSegmentCache(server.options, lifetime: .seconds(60)).save(["vip"], "fs_user_id-$-ada")
        let left = try #require(Int(try server.ask("PTTL", "fs_user_id-$-ada")))
        #expect((1...60_000).contains(left))
    }
}
