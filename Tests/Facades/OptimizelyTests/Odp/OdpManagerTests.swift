@Suite(.timeLimit(.minutes(1)), .ownThread) struct OdpManagerTests {
    private let events = RecordingEventManager(sdkKey: "sdk")
    private let segments = ScriptedSegmentApi()

    private func manager(disable: Bool = false, vuid: String? = nil) -> OdpManager {
        OdpManager(
            sdkKey: "sdk", disable: disable, vuid: vuid, cacheSize: 10, cacheTimeoutInSecs: 600,
            segmentManager: OdpSegmentManager(cacheSize: 10, cacheTimeoutInSecs: 600, apiManager: segments),
            eventManager: events)
    }

    private func error(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return name(of: error) }
        return nil
    }

    // MARK: Events

    @Test func errorsAreCheckedInOrder() throws {
        let bad: [String: Any?] = ["list": [1]]
        let disabled = manager(disable: true)
        #expect(error { try disabled.sendEvent(type: nil, action: "", identifiers: [:], data: bad) } == "odpNotEnabled")
        let manager = manager()
        manager.update(project: try OdpDatafile.project(integration: nil))
        #expect(
            error { try manager.sendEvent(type: nil, action: "", identifiers: [:], data: bad) } == "odpNotIntegrated")
        manager.update(project: try OdpDatafile.project())
        #expect(error { try manager.sendEvent(type: nil, action: "", identifiers: [:], data: bad) } == "odpInvalidData")
        #expect(
            error { try manager.sendEvent(type: nil, action: "", identifiers: [:], data: [:]) } == "odpInvalidAction")
        #expect(
            error { try manager.sendEvent(type: nil, action: "a", identifiers: [:], data: [:]) } == "odpEventFailed")
        #expect(events.events.isEmpty)
    }

    @Test(arguments: [OdpDatafile.Gap.host, .key]) func integrationNeedsHostAndKey(gap: OdpDatafile.Gap) throws {
        let manager = manager()
        manager.update(project: try OdpDatafile.project(without: gap))
        #expect(
            error { try manager.sendEvent(type: nil, action: "a", identifiers: ["email": "e"], data: [:]) }
                == "odpNotIntegrated")
    }

    @Test func everyScalarIsAllowed() throws {
        let data: [String: Any?] = [
            "text": "t", "integer": 1, "small": Int8(2), "float": Float(0.5), "double": 1.5, "yes": true, "none": nil,
            "number": NSNumber(value: 7), "no": NSNumber(value: false),
        ]
        try manager().sendEvent(type: "t", action: "a", identifiers: ["email": "e"], data: data)
        let expected: [String: JSONValue] = [
            "text": .string("t"), "integer": .integer(1), "small": .integer(2), "float": .double(0.5),
            "double": .double(1.5), "yes": .bool(true), "none": .null, "number": .integer(7), "no": .bool(false),
        ]
        #expect(try #require(events.events.first).data.filter { data.keys.contains($0.key) } == expected)
    }

    @Test(arguments: ["list", "object", "date", "nan", "infinity"]) func otherValuesAreRefused(kind: String) {
        let values: [String: Any] = [
            "list": [1], "object": ["a": 1], "date": Date(), "nan": Double.nan, "infinity": Double.infinity,
        ]
        let manager = manager()
        let value = values[kind]
        #expect(
            error { try manager.sendEvent(type: nil, action: "a", identifiers: ["email": "e"], data: ["x": value]) }
                == "odpInvalidData")
    }

    @Test func eventsNameTheirSource() throws {
        try manager().sendEvent(type: "", action: "a", identifiers: ["FS-USER-ID": "ada"], data: ["model": "mine"])
        let sent = try #require(events.events.first)
        #expect(sent.type == "fullstack")
        #expect(sent.identifiers == ["fs_user_id": "ada"])
        #expect(sent.data["data_source_type"] == .string("sdk"))
        #expect(sent.data["data_source"] == .string("swift-sdk"))
        #expect(sent.data["model"] == .string("mine"))
        #expect(
            Set(sent.data.keys) == [
                "idempotence_id", "data_source_type", "data_source", "data_source_version", "os", "os_version",
                "device_type", "model",
            ])
    }

    @Test func deviceIsAddedUnlessTheCallerNamesOne() throws {
        let manager = manager(vuid: "vuid_device")
        try manager.sendEvent(type: nil, action: "a", identifiers: [:], data: [:])
        try manager.sendEvent(type: nil, action: "b", identifiers: ["vuid": "vuid_given"], data: [:])
        #expect(events.events.map(\.action) == ["client_initialized", "a", "b"])
        #expect(events.events.map { $0.identifiers["vuid"] } == ["vuid_device", "vuid_device", "vuid_given"])
    }

    @Test func deviceIsRegisteredOnce() {
        let manager = manager()
        #expect(events.events.isEmpty)
        manager.vuid = "vuid_device"
        manager.vuid = "vuid_device"
        #expect(events.events.map(\.action) == ["client_initialized"])
        #expect(events.events.first?.identifiers == ["vuid": "vuid_device"])
    }

    @Test func disabledManagerSendsNothing() {
        let manager = manager(disable: true, vuid: "vuid_device")
        manager.identifyUser(userId: "ada")
        manager.close()
        #expect(!manager.enabled)
        #expect(manager.vuid == "vuid_device")
        #expect(events.events.isEmpty)
    }

    // MARK: Segments

    @Test func subclassReceivesEveryFetch() async throws {
        let manager = manager()
        manager.update(project: try OdpDatafile.project())
        #expect(await fetch(manager) == .segments(["loyal"]))
        #expect(segments.requests == [["public-key", "https://platform.test", "fs_user_id", "ada", "loyal", "new"]])
        #expect(await fetch(manager, user: "VUID_1") == .segments(["loyal"]))
        #expect(segments.requests.last?[2] == "vuid")
    }

    @Test func blockedTaskThreadsDoNotDelayTheResponse() async throws {
        let manager = manager()
        manager.update(project: try OdpDatafile.project())
        await concurrently(0..<16) { number in #expect(fetchBlocking(manager, user: "user \(number)")) }
    }
}
