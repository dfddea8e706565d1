/// The network settings of a client apply to this client only.
@Suite(.ownThread) struct NetworkSettingTests {
    private let transport = MemoryTransport()

    private func client(
        _ settings: OptimizelySdkSettings, dispatcher: (any OPTEventDispatcher)? = nil,
        datafile: Data = ShopDatafile.data, environment: HostEnvironment? = nil
    ) throws -> OptimizelyClient {
        var standard = HostEnvironment()
        standard.transport = transport
        let client = HostEnvironment.$override.withValue(environment ?? standard) {
            OptimizelyClient(
                sdkKey: UUID().uuidString, logger: RecordingMessages(), eventDispatcher: dispatcher, settings: settings)
        }
        try client.start(datafile: datafile, doFetchDatafileBackground: false)
        return client
    }

    // MARK: Endpoints

    @Test func eachClientMayHaveItsOwnEndpoints() throws {
        let own = RecordingDispatcher()
        let settings = OptimizelySdkSettings(
            eventEndpoint: "https://us.example/events", euEventEndpoint: "https://eu.example/events")
        let received = Locked<[String]>([])
        let first = try client(settings, dispatcher: own)
        _ = first.notificationCenter?.addTrackNotificationListener { _, _, _, _, event in
            received.withLock { $0.append("\(event["url"] ?? "")") }
        }
        try first.track(eventKey: "purchase", userId: "ada")
        first.close()
        #expect(own.events.map(\.url.absoluteString) == ["https://us.example/events"])
        #expect(received.withLock { $0 } == ["https://us.example/events"])
        let european = try client(settings, datafile: ShopDatafile(more: #""region": "EU","#).data)
        try european.track(eventKey: "purchase", userId: "ada")
        european.close()
        let standard = try client(OptimizelySdkSettings())
        try standard.track(eventKey: "purchase", userId: "ada")
        standard.close()
        #expect(transport.requests.map(\.url) == ["https://eu.example/events", EventForDispatch.eventEndpoint])
    }

    @Test func aMalformedEndpointDoesNotCrash() throws {
        let own = RecordingDispatcher()
        let client = try client(OptimizelySdkSettings(eventEndpoint: ""), dispatcher: own)
        try client.track(eventKey: "purchase", userId: "ada")
        client.close()
        #expect(own.events.count == 1)
    }

    // MARK: Plain http

    @Test func plainHTTPIsAllowedIfConfigured() throws {
        let asked = Collected<TransportOptions>()
        let open = MemoryTransport()
        var environment = HostEnvironment()
        environment.transport = transport
        environment.makeTransport = { options in
            asked.add(options)
            return open
        }
        let strict = try client(OptimizelySdkSettings(), environment: environment)
        try strict.track(eventKey: "purchase", userId: "ada")
        strict.close()
        #expect(asked.all.isEmpty && transport.requests.count == 1 && open.requests.isEmpty)
        let handler = DefaultDatafileHandler()
        let permissive = HostEnvironment.$override.withValue(environment) {
            OptimizelyClient(
                sdkKey: UUID().uuidString, logger: RecordingMessages(), datafileHandler: handler,
                settings: OptimizelySdkSettings(allowsInsecureHTTP: true))
        }
        handler.endPointStringFormat = "http://flags.example/%@"
        try permissive.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
        try permissive.track(eventKey: "purchase", userId: "ada")
        permissive.close()
        _ = handler.downloadDatafile(sdkKey: "key")
        #expect(asked.all.allSatisfy(\.allowsInsecureHTTP) && asked.count == 1)
        #expect(Set(open.requests.map(\.url)) == [EventForDispatch.eventEndpoint, "http://flags.example/key"])
    }

    // MARK: Deprecated names

    @available(*, deprecated) @Test func olderNamesOfTheSegmentCacheWork() {
        let settings = OptimizelySdkSettings(enableVuid: true).withODPSegmentCacheSize(7).withODPSegmentCacheTimeout(8)
        #expect(settings.segmentsCacheSize == 7 && settings.segmentsCacheTimeoutInSecs == 8 && settings.enableVuid)
    }
}
