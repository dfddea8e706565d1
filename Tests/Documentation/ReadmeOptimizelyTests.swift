import Optimizely

/// The README's example of the drop-in interface compiles, and works with a service instead of the network.
@Suite struct ReadmeOptimizelyTests {
    init() { HostEnvironment.standard.withLock { $0 = HostEnvironment() } }

    @Test func theDropInDecides() throws {
        let optimizely = OptimizelyClient(sdkKey: "<Your_SDK_Key>", eventDispatcher: NoDispatcher())
        try optimizely.start(
            datafile: String(decoding: shop, as: UTF8.self), doUpdateConfigOnNewDatafile: false,
            doFetchDatafileBackground: false)
        let user = optimizely.createUserContext(userId: "ada", attributes: ["country": "US", "orders": 12])
        let decision = user.decide(key: "checkout_redesign")
        #expect(decision.variationKey == "one_page")
        optimizely.close()
    }
}

private final class NoDispatcher: OPTEventDispatcher {
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {}
    func flushEvents() {}
}
