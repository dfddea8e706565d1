/// The status of a client shows its datafile, the requests for it, and its events.
@Suite(.ownThread) final class StatusTests: Sendable {
    private let response = Locked(HTTPResponse(status: 200, body: Array(ShopDatafile.revision("8"))))
    private let key = UUID().uuidString

    private func client(
        _ handler: MemoryHandler = MemoryHandler(), settings: OptimizelySdkSettings? = nil, isOnline: Bool = true,
        wallClock: any WallClock = .system
    ) -> OptimizelyClient {
        var environment = HostEnvironment()
        let transport = MemoryTransport { [self] request in
            request.method == .get ? response.withLock { $0 } : HTTPResponse(status: 204)
        }
        environment.transport = isOnline ? transport : nil
        environment.wallClock = wallClock
        return HostEnvironment.$override.withValue(environment) {
            OptimizelyClient(sdkKey: key, logger: RecordingMessages(), datafileHandler: handler, settings: settings)
        }
    }

    @Test func aDownloadThatCannotBeUsedIsShown() async throws {
        let client = client()
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        response.withLock { $0 = HTTPResponse(status: 200, body: Array(#"{"version":"9"}"#.utf8)) }
        await #expect(throws: OptimizelyError.self) { try await client.start() }
        let datafile = client.status.datafile
        #expect(datafile.revision == "7" && datafile.lastError != nil)

        response.withLock { $0 = HTTPResponse(status: 200, body: Array(ShopDatafile.revision("8"))) }
        try await client.start()
        #expect(client.status.revision == "8" && client.status.datafile.lastError == nil)
    }

    @Test func theDatafileAndItsRequestsAreShown() async throws {
        let handler = MemoryHandler()
        let client = client(handler)
        #expect(!client.status.isReady && client.status.datafile.requests.changed == 0)
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        #expect(client.status.revision == "7" && client.status.datafile.origin == .bundled)
        #expect(client.status.datafile.lastCheck == nil)

        try await client.start()
        var datafile = client.status.datafile
        #expect(datafile.revision == "8" && datafile.origin == .downloaded && datafile.requests.changed == 1)
        #expect(datafile.lastCheck != nil && datafile.lastError == nil)

        response.withLock { $0 = HTTPResponse(status: 403) }
        try await client.start()
        datafile = client.status.datafile
        #expect(datafile.revision == "8" && datafile.origin == .cached && datafile.requests.failed == 1)
        #expect(datafile.lastError?.hasPrefix("the datafile server responded with 403") == true)
        #expect("\(client.status)".contains("\nerror: the datafile server responded with 403"))

        response.withLock { $0 = HTTPResponse(status: 304) }
        try await client.start()
        #expect(client.status.datafile.requests.unchanged == 1 && client.status.lastError == nil)
        #expect(client.metrics.prometheus().contains("turnout_datafile_requests_total{outcome=\"failed\"} 1\n"))
    }

    @Test func pollingShowsTheNextRequest() throws {
        let handler = MemoryHandler()
        let client = client(handler)
        handler.setPeriodicInterval(sdkKey: key, interval: 600)
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        let next = try #require(client.status.datafile.nextPoll)
        #expect(next > .seconds(400) && next <= .seconds(660))
        client.close()
        #expect(client.status.datafile.nextPoll == nil)
    }

    @Test func aFullQueueIsShown() throws {
        let client = client(settings: OptimizelySdkSettings(maxEventQueueSize: 100), isOnline: false)
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        for number in 0..<100 { try client.track(eventKey: "purchase", userId: "user \(number)") }
        #expect(throws: OptimizelyError.self) { try client.track(eventKey: "purchase", userId: "ada") }
        #expect(client.status.events.waiting == 100 && client.status.events.lost[.noRoom] == 1)
    }

    @Test func deliveredAndExpiredEventsAreCounted() throws {
        for (settings, delivered, expired) in [
            (OptimizelySdkSettings(), 1, 0), (OptimizelySdkSettings(maximumEventAgeInSecs: 60), 0, 1),
        ] {
            let client = client(settings: settings, wallClock: .fixed(1_000))
            try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
            try client.track(eventKey: "purchase", userId: "ada")
            client.close()
            #expect(client.status.events.delivered == delivered)
            #expect(client.status.events.lost[.tooOld] == expired && client.status.events.waiting == 0)
        }
    }

    @Test func theBatchSizeIsASetting() async throws {
        let client = client(settings: OptimizelySdkSettings(eventBatchSize: 1))
        try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        try client.track(eventKey: "purchase", userId: "ada")
        try await wait("the delivery") { client.status.events.delivered == 1 }
    }
}
