/// Keys, users and their data are never logged.
@Suite(.blocking) struct SecrecyTests {
    private let network: TestNetwork
    private let sdkKey = unique("secretsdkkey")
    private let datafile = Datafile(odpKey: "secretodpkey", segments: ["secretsegment"])
    /// The word in all of these values, and in no other.
    private let word = "secret"

    init() throws { network = try TestNetwork() }

    private static let failures: [Reply?] = [
        nil, .status(400), .status(403), .status(413), .status(429, headers: ["Retry-After": "0"]), .status(500),
        .reset, .redirect(307, to: "/elsewhere?secretsdkkey"), .json("secret nonsense"), .raw("secret garbage\r\n\r\n"),
        .json(
            #"{"errors":[{"extensions":{"classification":"Kind"}}],"#
                + #""detail":{"invalids":[{"event":0,"message":"secret"}]}}"#),
    ]

    private func respond(_ reply: Reply?, _ key: String) throws {
        let addresses = [
            Address.us, Address.segmentEvents, Address.segments, Address.prediction("51"), Address.datafile(key),
            Address.safeDatafile(key),
        ]
        for address in addresses { try network.always(address, reply) }
    }

    private func expectSilence(_ messages: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let leaks = messages.filter { $0.lowercased().contains(word) || $0.contains("127.0.0.1") }
        #expect(leaks.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: failures.indices) func theFacadeLogsNoSecrets(_ number: Int) async throws {
        try network.publish(datafile, for: sdkKey)
        let (logger, handler) = (QuietLogger(), FileHandler())
        handler.datafileAccessToken = number % 2 == 0 ? nil : "secrettoken"
        let dispatcher = network.make { DefaultEventDispatcher(batchSize: 3, backingStore: .memory) }
        let client = network.optimizely(
            sdkKey, logger: logger, dispatcher: dispatcher, handler: handler,
            settings: OptimizelySdkSettings(enableVuid: true))
        try client.start(datafile: datafile.data, doFetchDatafileBackground: false)
        try respond(Self.failures[number], sdkKey)
        _ = await client.startCalledBack()
        let attributes: [String: Any] = ["plan": "secretplan", "age": Double.nan, "secretname": Date()]
        let user = client.createUserContext(userId: "secretuser", attributes: attributes)
        try? await user.fetchQualifiedSegments()
        _ = user.decideAll()
        _ = await user.decideAllAsync()
        _ = user.decide(key: "no such flag")
        try user.trackEvent(eventKey: "purchase", eventTags: ["note": "secretnote", "revenue": Double.infinity])
        _ = try? client.activate(experimentKey: "old_experiment", userId: "secretuser", attributes: attributes)
        try client.sendOdpEvent(
            action: "a", identifiers: ["email": "secret@example.test"], data: ["note": "secretdata"])
        try? client.sendOdpEvent(action: "", identifiers: ["email": "secret@example.test"])
        _ = await client.startCalledBack(bundled: Data("{\"secret\"".utf8))
        dispatcher.flushEvents()
        // A failed delivery may take ten seconds; other tests cover closing.
        try respond(nil, sdkKey)
        try await client.closed()
        let entries = logger.entries.filter { $0.level <= .info }
        #expect(!entries.isEmpty)
        expectSilence(entries.map(\.message))
    }

    @Test(arguments: failures.indices) func theClientLogsNoSecrets(_ number: Int) async throws {
        try network.publish(datafile, for: sdkKey)
        let log = MemoryLog(level: .info)
        let device = DeviceID(rawValue: "vuid_secretdevice")
        let client = FlagClient(
            network.configuration {
                $0.log = log
                $0.datafiles = network.source(sdkKey) {
                    $0.log = log
                    $0.token = number % 2 == 0 ? nil : "secrettoken"
                }
                $0.bundledDatafile = datafile.bytes
                $0.segments = network.platform()
                $0.deviceID = device
                $0.predictions = .http(transport: network.transport)
                $0.profiles = .memory
                $0.events.maximumAge = .seconds(60)
            })
        try respond(Self.failures[number], sdkKey)
        try await client.start()
        var user = client.user("secretuser", attributes: ["plan": "secretplan", "age": .double(.nan)])
        do { try await user.fetchSegments() } catch { log.write(.info, "\(error)") }
        _ = user.decideAll()
        _ = await user.decideAll(within: .seconds(20))
        try user.track("purchase", tags: ["note": "secretnote", "revenue": .double(.infinity)])
        try user.sendSegmentEvent("a", data: ["note": "secretdata"])
        user.identify()
        do { try client.sendSegmentEvent("", identifiers: ["email": "secret@example.test"]) } catch {
            log.write(.info, "\(error)")
        }
        do { try await client.refresh() } catch { log.write(.info, "\(error)") }
        await client.flush()
        await client.close()
        #expect(!log.entries.isEmpty)
        expectSilence(log.entries.map(\.message))
    }
}
