// Samples about the library's own services.

@Suite(.blocking) struct DefaultServiceSampleTests {
    private let network: TestNetwork

    init() throws {
        network = try TestNetwork()
        try network.always(Address.segments, .segments("segment1"))
    }

    private func makeClient(
        dispatcher: (any OPTEventDispatcher)? = nil, settings: OptimizelySdkSettings? = nil
    ) throws -> OptimizelyClient {
        let optimizely = network.optimizely(dispatcher: dispatcher, interval: nil, settings: settings)
        try optimizely.start(datafile: PageDatafile().text)
        return optimizely
    }

    @Test func anIntervalOfZeroSendsEachEventAtOnce() async throws {
        let optimizely = try makeClient(dispatcher: network.make { DefaultEventDispatcher(timerInterval: 0) })
        let user = optimizely.createUserContext(userId: "ada")
        for count in 1...3 {
            _ = user.decide(key: "flagKey")
            try await network.requests(Address.us, atLeast: count)
        }
        #expect(try network.payloads(Address.us).map(\.events.count) == [1, 1, 1])
        try await optimizely.closed()
    }

    @Test(arguments: [(1000, 1), (0, 2)]) func theSizeOfTheSegmentCacheApplies(size: Int, requests: Int) async throws {
        let odpSettings = OptimizelySdkSettings(
            segmentsCacheSize: size,
            segmentsCacheTimeoutInSecs: 30 * 60,
            disableOdp: false)
        let optimizely = try makeClient(settings: odpSettings)
        for _ in 0..<2 {
            let user = optimizely.createUserContext(userId: "ada")
            try await user.fetchQualifiedSegments()
            #expect(user.isQualifiedFor(segment: "segment1") && user.decide(key: "flag1").enabled)
        }
        #expect(try network.requests(Address.segments).count == requests)
    }
}
