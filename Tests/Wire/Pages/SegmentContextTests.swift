// The page about segments: samples that need no server.

@Suite(.blocking) struct SegmentContextTests {
    private let network: TestNetwork
    private let optimizelyClient: OptimizelyClient

    init() throws {
        network = try TestNetwork()
        optimizelyClient = network.optimizely()
    }

    @Test func segmentsCanBeAssignedDirectly() throws {
        try optimizelyClient.start(datafile: PageDatafile().text)
        let user = optimizelyClient.createUserContext(userId: "user123")
        #expect(user.qualifiedSegments == nil && !user.isQualifiedFor(segment: "segment1"))
        #expect(!user.decide(key: "flag1").enabled)
        user.qualifiedSegments = ["segment2", "segment1"]
        #expect(user.qualifiedSegments == ["segment2", "segment1"])
        #expect(user.isQualifiedFor(segment: "segment1") && !user.isQualifiedFor(segment: "segment3"))
        #expect(user.decide(key: "flag1").enabled)
        #expect(try network.requests(Address.segments).isEmpty)
    }
}
