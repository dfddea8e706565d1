// The page about segments, sample by sample. Blocking calls in a task of the page use a separate thread here.

@Suite(.blocking) struct SegmentSampleTests {
    private let network: TestNetwork
    private let sdkKey = unique("key")
    private let attributes: [String: Any] = ["app_version": "1.3.2"]

    init() throws {
        network = try TestNetwork()
        try network.publish(PageDatafile(), for: sdkKey)
        try network.always(Address.segments, .segments("segment1"))
    }

    private func makeClient() -> OptimizelyClient { network.optimizely(sdkKey) }

    /// The number of segment requests.
    private var requests: Int { get throws { try network.requests(Address.segments).count } }

    // MARK: fetchQualifiedSegments - asynchronous

    @Test func segmentsAreFetchedOnceAndThenCached() async throws {
        let optimizely = makeClient()
        try optimizely.start(datafile: PageDatafile().text)

        // Without segment option
        let user = try await blocking {
            let attributes: [String: Any] = ["app_version": "1.3.2"]
            let user = optimizely.createUserContext(userId: "user123", attributes: attributes)
            try? user.fetchQualifiedSegments()
            return user
        }

        #expect(user.qualifiedSegments == ["segment1"])
        let again = optimizely.createUserContext(userId: "user123", attributes: attributes)
        try await again.fetchQualifiedSegments()
        #expect(again.qualifiedSegments == ["segment1"] && again.decide(key: "flag1").enabled)
        let requests = try network.requests(Address.segments)
        #expect(requests.count == 1 && requests[0].headers["x-api-key"] == "page key")
        let question = try JSONValue(parsing: [UInt8](requests[0].body))["variables"]
        #expect(question == .object(["userId": .string("user123"), "audiences": .array([.string("segment1")])]))
    }

    @Test func optionsBypassAndEmptyTheCache() async throws {
        let optimizely = makeClient()
        try optimizely.start(datafile: PageDatafile().text)
        try await optimizely.createUserContext(userId: "user123").fetchQualifiedSegments()

        // With segment options
        let user = try await blocking {
            // The page has `var`, which causes a compiler warning.
            let odpSegmentOptions: [OptimizelySegmentOption] = [.ignoreCache, .resetCache]
            let attributes: [String: Any] = ["app_version": "1.3.2"]
            let user = optimizely.createUserContext(userId: "user123", attributes: attributes)
            try? user.fetchQualifiedSegments(options: odpSegmentOptions)
            return user
        }

        #expect(user.qualifiedSegments == ["segment1"])
        #expect(try requests == 2)
        try await optimizely.createUserContext(userId: "user123").fetchQualifiedSegments()
        #expect(try requests == 3, "it was emptied, and nothing was stored")
    }

    // MARK: fetchQualifiedSegments - synchronous

    /// The sample, with its output and decisions.
    private func sample() async -> [String] {
        let (printed, called) = (Collected<String>(), Gate())
        @Sendable func print(_ text: String) { printed.add(text) }
        let optimizely = makeClient()

        optimizely.start { result in
            let attributes: [String: Any] = ["app version": "1.3.2"]
            let user = optimizely.createUserContext(userId: "user123", attributes: attributes)

            do {
                // this will block the calling thread until fetch is completed.
                try user.fetchQualifiedSegments()

                let decision = user.decide(key: "flag1")
                print("\(decision.enabled)")
            } catch OptimizelyError.invalidSegmentIdentifier {
                print("[AudienceSegments] audience segments fetch failed (user id is not registered yet or invalid)")
            } catch {
                print("[AudienceSegments] \(error)")
            }
            called.open()
        }
        await called.pass()
        return printed.all
    }

    @Test func callbacksOfTheStartCanFetchAndDecide() async throws {
        #expect(await sample() == ["true"])
        #expect(try network.requests(Address.datafile(sdkKey)).count == 1 && requests == 1)
    }

    @Test func usersThatTheServerDoesNotKnowAreCaught() async throws {
        try network.always(Address.segments, .unknownUser)
        #expect(
            await sample() == [
                "[AudienceSegments] audience segments fetch failed (user id is not registered yet or invalid)"
            ])
    }

    @Test(arguments: [Reply.status(500), .reset]) func otherFailuresAreCaught(_ failure: Reply) async throws {
        try network.always(Address.segments, failure)
        let printed = await sample()
        #expect(printed.count == 1 && printed[0].hasPrefix("[AudienceSegments] [Optimizely][Error] "))
    }

    // MARK: isQualifiedFor

    @Test(arguments: [true, false]) func usersQualifyForFetchedSegments(isReachable: Bool) async throws {
        if !isReachable { try network.always(Address.segments, .reset) }
        let optimizelyClient = makeClient()
        try optimizelyClient.start(datafile: PageDatafile().text)

        let attributes: [String: Any] = ["laptop_os": "mac"]
        let user = optimizelyClient.createUserContext(userId: "user123", attributes: attributes)
        #expect(!user.isQualifiedFor(segment: "segment1"))

        let response: (Bool, [String]?, Bool) = await withCheckedContinuation { continuation in
            user.fetchQualifiedSegments { segments, err in
                let isQualified = user.isQualifiedFor(segment: "segment1")
                continuation.resume(returning: (isQualified, segments, err == nil))
            }
        }
        #expect(response == (isReachable, isReachable ? ["segment1"] : nil, isReachable))
        #expect(!user.isQualifiedFor(segment: "segment2"))
    }

    @Test func theLibrarysFormReportsOnlyTheError() async throws {
        try network.always(Address.segments, .unknownUser)
        let optimizelyClient = makeClient()
        try optimizelyClient.start(datafile: PageDatafile().text)
        let user = optimizelyClient.createUserContext(userId: "user123")
        user.qualifiedSegments = ["segment1"]
        let text: String = await withCheckedContinuation { continuation in
            user.fetchQualifiedSegments { error in continuation.resume(returning: "\(error as Any)") }
        }
        #expect(text.contains("[Optimizely][Error] "))
        #expect(user.qualifiedSegments == nil && !user.isQualifiedFor(segment: "segment1"))
    }
}
