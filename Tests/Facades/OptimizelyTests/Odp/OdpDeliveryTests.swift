#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The standard managers, from the call to the request.
@Suite(.timeLimit(.minutes(1)), .ownThread) struct OdpDeliveryTests {
    private let transport = MemoryTransport { request in
        guard request.url.hasSuffix("/v3/graphql") else { return HTTPResponse(status: 202) }
        let body = #"{"data":{"customer":{"audiences":{"edges":[{"node":{"name":"loyal","state":"qualified"}}]}}}}"#
        return HTTPResponse(status: 200, body: Array(body.utf8))
    }

    private func manager(clock: any Clock<Duration> = .continuous, connected: Bool = true) -> OdpManager {
        let manager = OdpManager(
            sdkKey: "sdk", disable: false, cacheSize: 10, cacheTimeoutInSecs: 10, timeoutForSegmentFetchInSecs: 3,
            timeoutForEventDispatchInSecs: 4)
        var services = OdpServices()
        services.clock = clock
        services.log = .silent
        services.transport = connected ? transport : nil
        manager.services = services
        return manager
    }

    @Test func earlyEventsAreSentWithTheFirstDatafile() async throws {
        let manager = manager()
        try manager.sendEvent(type: nil, action: "early", identifiers: ["email": "e"], data: [:])
        manager.update(project: try OdpDatafile.project())
        await manager.eventManager?.flush()
        let request = try #require(transport.requests.first)
        #expect(request.url == "https://platform.test/v3/events")
        #expect(request.deadline == .seconds(4))
        #expect(request.headers["x-api-key"] == "public-key")
        #expect(String(decoding: request.body, as: UTF8.self).contains(#""action":"early""#))
    }

    @Test func withoutATransportEventsStayQueued() async throws {
        let manager = manager(connected: false)
        manager.update(project: try OdpDatafile.project())
        try manager.sendEvent(type: nil, action: "a", identifiers: ["email": "e"], data: [:])
        manager.close()
        #expect(manager.eventManager?.count == 1)
    }

    @Test func invalidEventIsDropped() {
        let events = OdpEventManager(sdkKey: "sdk")
        var services = OdpServices()
        services.log = .silent
        events.connect(services)
        events.dispatch(OdpEvent(type: "t", action: "a", identifiers: [:], data: [:]))
        events.dispatch(OdpEvent(type: "t", action: "a", identifiers: ["email": "e"], data: ["x": [1]]))
        #expect(events.count == 0)
    }

    @Test func segmentsAreFetchedOverTheTransport() async throws {
        let manager = manager()
        manager.update(project: try OdpDatafile.project())
        #expect(await fetch(manager) == .segments(["loyal"]))
        #expect(transport.requests.map(\.deadline) == [.seconds(3)])
    }

    @Test func withoutATransportThereIsANetworkError() async throws {
        let manager = manager(connected: false)
        manager.update(project: try OdpDatafile.project())
        #expect(await fetch(manager) == .failed(#"fetchSegmentsFailed("network error")"#))
    }

    @Test func cachedSegmentsExpireByTheInjectedClock() async throws {
        let clock = ManualClock()
        let manager = manager(clock: clock)
        manager.update(project: try OdpDatafile.project())
        _ = await fetch(manager)
        clock.advance(by: .seconds(9))
        _ = await fetch(manager)
        #expect(transport.requests.count == 1)
        clock.advance(by: .seconds(1))
        _ = await fetch(manager)
        #expect(transport.requests.count == 2)
    }

    @Test func sessionsCacheNothing() {
        for session in [OdpSegmentApiManager(timeout: 7).getSession(), OdpEventApiManager(timeout: 7).getSession()] {
            #expect(session.configuration.timeoutIntervalForResource == 7)
        }
    }
}
