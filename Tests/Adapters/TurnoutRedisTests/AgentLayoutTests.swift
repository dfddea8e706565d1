/// Values in the layout of Optimizely's Agent.
@Suite(.blocking) struct AgentLayoutTests {
    private let server: RedisServer
    private let store: RedisProfileStore

    init() async throws {
        server = try await RedisServer()
        store = try server.options.store(.agent) { $0.prefix = nil }
    }

    @Test func valuesMatchTheAgent() async throws {
        try store.save(["9300000": "21", "10420810910": "10418551353"], for: "ada")
        // What `RedisUserProfileService.Save` of Agent stores for this profile, by its source at commit d3125ea:
        // `json.Marshal` of a map of maps, which writes keys in byte order without spaces, under the plain user id,
        // with an expiration of zero, so with none.
        let stored = #"{"10420810910":{"variation_id":"10418551353"},"9300000":{"variation_id":"21"}}"#
        #expect(try server.ask("GET", "ada") == stored)
        #expect(try server.ask("TTL", "ada") == "-1")
        try store.save(["é\"\n": "\\"], for: "grace")
        #expect(try server.ask("GET", "grace") == #"{"é\"\n":{"variation_id":"\\"}}"#)
        #expect(try store.count == 2)
    }

    @Test(arguments: [
        #"{"1":{"variation_id":"2"},"3":{"variation_id":"4"}}"#,
        #" { "3" : {"variation_id" : "4"}, "1" : {"variation_id" : "2"} } "#,
        #"{"1":{"variation_id":"2","note":[]},"3":{"variation_id":"4"}}"#,
    ])
    func valuesOfTheAgentAreRead(_ value: String) async throws {
        try server.ask("SET", "ada", value)
        #expect(try store.profile(of: "ada") == UserProfile(["1": "2", "3": "4"]))
        try store.save(["5": "6"], for: "ada")
        let merged = #"{"1":{"variation_id":"2"},"3":{"variation_id":"4"},"5":{"variation_id":"6"}}"#
        #expect(try server.ask("GET", "ada") == merged)
    }

    @Test func unknownMembersStay() async throws {
        try server.ask("SET", "ada", #"{"x":[],"1":"2","y":{},"z":{"a":[1,null,true]}}"#)
        // Agent reads objects only.
        #expect(try store.profile(of: "ada") == UserProfile())
        try store.save(["0": "1"], for: "ada")
        let kept = #"{"0":{"variation_id":"1"},"1":"2","x":[],"y":{},"z":{"a":[1,null,true]}}"#
        #expect(try server.ask("GET", "ada") == kept)
    }

    @Test(arguments: ["", "no JSON", "[]", "12", #"{"1":"2""#, #"{"1":"#, #"{"1":"\ud800"}"#, "null"])
    func foreignValuesAreNotChanged(_ value: String) async throws {
        try server.ask("SET", "ada-lovelace", input: Array(value.utf8))
        for attempt in [
            { _ = try store.profile(of: "ada-lovelace") }, { _ = try store.profiles(of: ["ada-lovelace"]) },
        ] {
            #expect { try attempt() } throws: { isForeign($0) }
        }
        #expect {
            try store.save(["1": "2"], for: "ada-lovelace")
        } throws: { isForeign($0) }
        #expect(try server.ask("GET", "ada-lovelace") == value)
        try store.save(["1": "2"], for: "grace")
        #expect(try store.profile(of: "grace") == UserProfile(["1": "2"]))
    }

    @Test func bytesThatAreNoTextAreNotChanged() async throws {
        try server.ask("SET", "ada-lovelace", input: [0x7B, 0xFF, 0x00, 0x7D])
        #expect { try store.profile(of: "ada-lovelace") } throws: { isForeign($0) }
        #expect { try store.save(["1": "2"], for: "ada-lovelace") } throws: { isForeign($0) }
        #expect(try server.ask("STRLEN", "ada-lovelace") == "4")
    }

    private func isForeign(_ error: any Error) -> Bool {
        (error as? ProfileServerError)?.code == .foreignValue && !"\(error)".contains("lovelace")
    }
}
