/// Values that Turnout did not store, and how they are reported.
@Suite(.needsMemcached, .blocking) struct MemcachedDamageTests {
    let process: MemcachedProcess
    let client: PlainClient
    let options: MemcachedOptions
    let store: MemcachedProfileStore
    let log = MemoryLog()

    init() throws {
        process = try MemcachedProcess()
        guard case .host(_, let port?) = process.server else { throw MemcachedProcess.Failure() }
        client = PlainClient(port: port)
        options = .longTimeouts(process.server)
        store = try MemcachedProfileStore(options, log: log)
    }

    @Test(arguments: [
        "", "x", "null", "[]", "7", "{", #"{"user_id":"ada","experiment_bucket_map":{"1":{"vari"#, "\u{0}\u{1}",
        #"{"user_id":7}"#, #"{"experiment_bucket_map":{}}"#, "{\"user_id\":\"ad\u{0}\"}",
        #"{"user_id":"ada","experiment_bucket_map":7}"#,
    ])
    func valuesThatAreNotProfilesStay(_ text: String) throws {
        try client.set(options.prefix + "ada", text)
        for body in [
            { _ = try store.profile(of: "ada") }, { _ = try store.profiles(of: ["grace", "ada"]) },
            { try store.save(["1": "2"], for: "ada") },
        ] {
            let error = #expect(throws: ProfileServerError.self) { try body() }
            #expect(error?.code == .foreignValue)
            #expect(error.map { $0.description.contains("ada") } == false)
        }
        #expect(try client.get(options.prefix + "ada") == text)
        try store.forget("ada")
        try store.save(["1": "2"], for: "ada")
        #expect(try store.profile(of: "ada").assignments == ["1": "2"])
    }

    @Test func aProfileIsNotUsedForAnotherUser() throws {
        try client.set(
            options.prefix + "ada", #"{"user_id":"grace","experiment_bucket_map":{"1":{"variation_id":"2"}}}"#)
        #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        let error = #expect(throws: ProfileServerError.self) { try store.save(["1": "2"], for: "ada") }
        #expect(error?.code == .anotherUser)
    }

    @Test func unknownMembersAreKept() throws {
        try client.set(
            options.prefix + "ada",
            #"{"seen":1.5,"user_id":"ada","experiment_bucket_map":{"1":{"variation_id":"2","by":"me"}}}"#)
        try store.save(["1": "3", "4": "5"], for: "ada")
        #expect(
            try client.get(options.prefix + "ada")
                == #"{"experiment_bucket_map":{"1":{"by":"me","variation_id":"3"},"4":{"variation_id":"5"}},"#
                + #""seen":1.5,"user_id":"ada"}"#)
    }

    @Test func unreadableEntriesAreKept() throws {
        try client.set(
            options.prefix + "ada",
            #"{"user_id":"ada","experiment_bucket_map":{"1":"2","5":{"variation_id":"6","at":17}},"seen":true}"#)
        #expect(try store.profile(of: "ada").assignments == ["5": "6"])
        try store.save(["3": "4"], for: "ada")
        #expect(
            try client.get(options.prefix + "ada") == #"{"experiment_bucket_map":{"1":"2","3":{"variation_id":"4"},"#
                + #""5":{"at":17,"variation_id":"6"}},"seen":true,"user_id":"ada"}"#)
    }

    @Test func errorsAndLogsContainNoUserIDs() throws {
        let ids = ["ada-lovelace", "ada lovelace\n", "🙂-lovelace\0", String(repeating: "lovelace", count: 1_250)]
        let large = ["1": String(repeating: "lovelace", count: 200_000)]
        var texts: [String] = []
        for id in ids {
            let error = #expect(throws: ProfileServerError.self) { try store.save(large, for: id) }
            texts.append("\(String(describing: error)) \(String(reflecting: error))")
        }
        process.stop()
        for id in ids {
            for body in [
                { _ = try store.profile(of: id) }, { _ = try store.profiles(of: [id]) },
                { try store.save(["1": "2"], for: id) }, { try store.forget(id) },
            ] {
                let error = #expect(throws: ProfileServerError.self) { try body() }
                texts.append("\(String(describing: error)) \(String(reflecting: error))")
            }
        }
        texts += log.entries.map(\.message)
        #expect(!log.entries.isEmpty)
        for text in texts { #expect(!text.contains("lovelace")) }
    }
}
