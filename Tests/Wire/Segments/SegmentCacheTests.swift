/// The data platform is queried as often as needed, and no more often.
@Suite(.blocking) struct SegmentCacheTests {
    private let network: TestNetwork
    private let gold = Reply.json(
        #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"gold","state":"qualified"}}]}}}}"#)
    private let silver = Reply.json(
        #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"silver","state":"qualified"}}]}}}}"#)

    init() throws {
        network = try TestNetwork()
        try network.always(Address.segments, gold)
    }

    private var count: Int { get throws { try network.requests(Address.segments).count } }

    @Test func theQueryHasTheExpectedFormat() async throws {
        let client = try network.started()
        try await client.createUserContext(userId: "ada \" }").fetchQualifiedSegments()
        try await client.createUserContext(userId: "VUID_1").fetchQualifiedSegments()
        let requests = try network.requests(Address.segments)
        #expect(requests.count == 2)
        for (request, key) in zip(requests, ["fs_user_id", "vuid"]) {
            #expect(request.method == "POST" && request.headers["content-type"] == "application/json")
            #expect(request.headers["x-api-key"] == "key-of-the-platform")
            let query =
                "query($userId: String, $audiences: [String]) {customer(\(key): $userId) "
                + "{audiences(subset: $audiences) {edges {node {name state}}}}}"
            let user = key == "vuid" ? "VUID_1" : "ada \" }"
            #expect(
                try JSONValue(parsing: [UInt8](request.body))
                    == .object([
                        "query": .string(query),
                        "variables": .object([
                            "userId": .string(user), "audiences": .array([.string("gold"), .string("silver")]),
                        ]),
                    ]))
        }
    }

    @Test(arguments: SegmentForm.allCases) func bothOptionsApplyToAllForms(_ fetch: SegmentForm) async throws {
        let client = try network.started()
        func ask(_ user: String, _ options: OptimizelySegmentOption...) async throws -> [String]? {
            let user = client.createUserContext(userId: user)
            try await fetch(user, options)
            return user.qualifiedSegments
        }
        #expect(try await ask("ada") == ["gold"])
        #expect(try await ask("bob") == ["gold"])
        try network.always(Address.segments, silver)
        #expect(try await ask("ada") == ["gold"] && count == 2, "kept")
        #expect(try await ask("ada", .ignoreCache) == ["silver"] && count == 3)
        #expect(try await ask("ada") == ["gold"] && count == 3, "neither read from the cache nor cached")
        #expect(try await ask("ada", .resetCache) == ["silver"] && count == 4)
        #expect(try await ask("ada") == ["silver"] && count == 4, "kept")
        #expect(try await ask("bob") == ["silver"] && count == 5, "the whole cache is emptied")
        #expect(try await ask("ada", .ignoreCache, .resetCache) == ["silver"] && count == 6)
        #expect(try await ask("ada") == ["silver"] && count == 7, "the cache was emptied and not filled")
    }

    @Test func concurrentFetchesShareARequest() async throws {
        try network.always(Address.segments, gold.after(.milliseconds(500)))
        let old = try network.started()
        let new = try network.client { $0.segments = network.platform() }
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                group.addTask {
                    let user = old.createUserContext(userId: "ada")
                    try await SegmentForm.allCases[number % 3](user, [])
                    #expect(user.qualifiedSegments == ["gold"])
                }
                group.addTask {
                    let segments = try await new.segments(of: "ada")
                    #expect(segments == ["gold"])
                }
            }
            try await group.waitForAll()
        }
        // One request for each of the two clients.
        #expect(try count == 2)
    }

    @Test func aResponseForAnEarlierDatafileIsNotCached() async throws {
        let next = Datafile(revision: "2", segments: ["gold", "bronze"])
        let old = try network.started()
        let new = try network.client { $0.segments = network.platform() }
        try network.always(Address.segments, gold.after(.milliseconds(300)))
        let user = old.createUserContext(userId: "ada")
        async let first: Void = user.fetchQualifiedSegments()
        async let second = new.segments(of: "ada")
        try await network.requests(Address.segments, atLeast: 2)
        try old.start(datafile: next.data, doFetchDatafileBackground: false)
        try new.update(to: next.bytes)
        try await first
        #expect(try await second == ["gold"] && user.qualifiedSegments == ["gold"])

        try network.always(Address.segments, gold)
        try await user.fetchQualifiedSegments()
        #expect(try await new.segments(of: "ada") == ["gold"])
        let requests = try network.requests(Address.segments).map(\.text)
        #expect(requests.count == 4 && requests.suffix(2).allSatisfy { $0.contains("bronze") })
    }

    @Test func anotherPlatformEmptiesTheCache() async throws {
        let client = try network.started()
        let user = client.createUserContext(userId: "ada")
        try await user.fetchQualifiedSegments()
        try client.start(datafile: Datafile(revision: "2").data, doFetchDatafileBackground: false)
        try await user.fetchQualifiedSegments()
        #expect(try count == 1, "nothing relevant changed")
        let next = Datafile(revision: "3", odpKey: "other-key")
        try client.start(datafile: next.data, doFetchDatafileBackground: false)
        try await user.fetchQualifiedSegments()
        #expect(
            try network.requests(Address.segments).map { $0.headers["x-api-key"] } == [
                "key-of-the-platform", "other-key",
            ])
    }
}
