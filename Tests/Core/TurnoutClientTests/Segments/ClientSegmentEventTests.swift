/// A client sends user events to the data platform, or reports why it cannot.
@Suite(.timeLimit(.minutes(1))) struct ClientSegmentEventTests {
    private let transport = MemoryTransport { _ in HTTPResponse(status: 202) }
    private let device = DeviceID.new(random: .seeded(1))

    private func configuration(_ change: (inout ClientConfiguration) -> Void = { _ in }) -> ClientConfiguration {
        .quiet {
            $0.transport = transport
            change(&$0)
        }
    }

    private func client(
        _ datafile: [UInt8] = PlatformDatafile.bytes(), _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> FlagClient { try FlagClient(datafile: datafile, configuration(change)) }

    private var events: [JSONValue] {
        transport.requests.flatMap { request -> [JSONValue] in
            guard case .array(let events)? = try? JSONValue(parsing: request.body) else { return [] }
            return events
        }
    }

    private var actions: [String] {
        events.compactMap { if case .string(let action)? = $0["action"] { action } else { nil } }
    }

    private var identifiers: [[String: String]] {
        events.map { event in
            guard case .object(let members)? = event["identifiers"] else { return [:] }
            return members.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
        }
    }

    @Test func anEventContainsItsDataAndSource() async throws {
        let client = try client { $0.clientVersion = "1.2.3" }
        try client.user("ada").sendSegmentEvent(
            "added_to_cart", data: ["sku": "A-1", "qty": 2, "price": 19.5, "gift": false, "coupon": nil, "os": "mine"])
        await client.flush()
        let request = try #require(transport.requests.first)
        #expect(request.url == "https://odp.test/v3/events" && request.headers["x-api-key"] == "key")
        let event = try #require(events.first)
        #expect(event["type"] == .string("fullstack") && event["action"] == .string("added_to_cart"))
        #expect(identifiers == [["fs_user_id": "ada"]])
        let expected: [String: JSONValue] = [
            "sku": .string("A-1"), "qty": .integer(2), "price": .double(19.5), "gift": .bool(false), "coupon": .null,
            "os": .string("mine"), "data_source": .string("turnout"), "data_source_version": .string("1.2.3"),
            "data_source_type": .string("sdk"),
        ]
        for (name, value) in expected { #expect(event["data"]?[name] == value) }
        for name in ["idempotence_id", "os_version", "device_type", "model"] { #expect(event["data"]?[name] != nil) }
    }

    @Test func identifiersAreNormalized() async throws {
        let client = try client { $0.deviceID = device }
        try client.sendSegmentEvent("a", type: "shop", identifiers: ["FS-USER-ID": "ada", "email": "a@b.test"])
        try client.sendSegmentEvent("b", identifiers: ["vuid": "vuid_other"])
        try client.sendSegmentEvent("c", type: "")
        try client.user("VUID_7").sendSegmentEvent("d")
        await client.flush()
        #expect(actions == ["client_initialized", "a", "b", "c", "d"])
        let known = ["vuid": device.rawValue]
        #expect(
            identifiers == [
                known, ["fs_user_id": "ada", "email": "a@b.test", "vuid": device.rawValue], ["vuid": "vuid_other"],
                known, ["vuid": "VUID_7"],
            ])
        #expect(events.map { $0["type"] == .string("shop") } == [false, true, false, false, false])
    }

    @Test func invalidEventsThrowAtOnce() async throws {
        let client = try client()
        let bad: [AttributeValue] = [
            [1], ["a": 1], .double(.nan), .float(.infinity), .opaque(description: "a date", isNull: false),
        ]
        for value in bad {
            #expect(throws: SegmentEventError.invalidData("x")) {
                try client.sendSegmentEvent("", data: ["a": 1, "x": value])
            }
        }
        #expect(throws: SegmentEventError.noAction) { try client.sendSegmentEvent("") }
        #expect(throws: SegmentEventError.noIdentifier) { try client.sendSegmentEvent("a") }
        #expect(throws: SegmentEventError.noIdentifier) { try client.sendSegmentEvent("a", identifiers: ["email": ""]) }
        #expect(throws: SegmentEventError.noIdentifier) { try client.user("").sendSegmentEvent("a") }
        try client.update(to: PlatformDatafile.bytes(revision: "2", key: nil))
        #expect(throws: SegmentEventError.noService) { try client.sendSegmentEvent("", data: ["x": [1]]) }
        await client.close()
        #expect(transport.requests.isEmpty && client.lostEvents.total == 0)
    }

    @Test func eventsWithoutAPlatformAreCounted() async throws {
        let client = FlagClient(configuration { $0.deviceID = device })
        for number in 0..<101 { try? client.sendSegmentEvent("early \(number)") }
        #expect(client.lostEvents[.noRoom] == 2)
        #expect(throws: SegmentEventError.lost) { try client.sendSegmentEvent("one more") }
        try client.update(to: PlatformDatafile.bytes(host: nil))
        #expect("\(client.lostEvents)" == "3 no room, 100 no receiver")
        client.identify("ada")
        #expect(client.lostEvents.total == 103, "an automatic event without a platform is not a loss")
    }

    @Test func refusedEventsAreCounted() async throws {
        transport.respond { request in
            HTTPResponse(status: String(decoding: request.body, as: UTF8.self).contains("\"bad\"") ? 400 : 204)
        }
        let client = try client()
        try client.user("ada").sendSegmentEvent("bad")
        await client.flush()
        #expect(client.lostEvents.total == 0, "the platform may be at fault")
        try client.user("ada").sendSegmentEvent("good")
        await client.flush()
        #expect("\(client.lostEvents)" == "1 refused")
    }

    @Test func anEventIsSentToThePlatformAtItsCreation() async throws {
        let store = MemoryEventStore()
        let client = try client {
            $0.transport = nil
            $0.segmentEventStore = store
        }
        try client.user("ada").sendSegmentEvent("old")
        try client.update(to: PlatformDatafile.bytes(revision: "2", host: "https://next.test", key: "next"))
        try client.user("ada").sendSegmentEvent("new")
        // The next client delivers the events left in the store.
        let next = FlagClient(configuration { $0.segmentEventStore = store })
        try next.update(to: PlatformDatafile.bytes(revision: "2", host: "https://next.test", key: "next"))
        await next.flush()
        // The order of the two platforms is undefined.
        #expect(actions.sorted() == ["new", "old"])
        let requests = transport.requests.sorted { $0.url > $1.url }
        #expect(requests.map { $0.headers["x-api-key"] } == ["key", "next"])
        #expect(requests.map(\.url) == ["https://odp.test/v3/events", "https://next.test/v3/events"])
    }

    @Test func closingWaitsForRequestsAndFlushingHasALimit() async throws {
        let gate = Gate()
        transport.respond { request in
            if request.url.hasSuffix("/v3/events") { await gate.pass() }
            return HTTPResponse(status: 202)
        }
        let client = try client()
        try client.user("ada").sendSegmentEvent("slow")
        try await wait("it has begun") { gate.waitingCount == 1 }
        await client.flush(within: .milliseconds(20))
        #expect(client.lostEvents.total == 0)
        let close = Task { await client.close(within: .seconds(30)) }
        gate.open()
        await close.value
        // More than one request if the machine was too busy to respond within the timeout.
        #expect(Set(actions) == ["slow"])
    }

    @Test func eventsThatAreNotDurableAreReported() async throws {
        let client = try client { $0.segmentEventStore = VolatileStore() }
        #expect(throws: SegmentEventError.notDurable) { try client.user("ada").sendSegmentEvent("a") }
    }

    @Test func identifyingTakesTwoIDs() async throws {
        let anonymous = try client()
        anonymous.identify("ada")
        let client = try client { $0.deviceID = device }
        for id in ["", device.rawValue, "VUID_1", "ada"] { client.identify(id) }
        client.user("bob").identify()
        _ = client.user("carl").decideAll()
        await anonymous.flush()
        await client.flush()
        #expect(actions == ["client_initialized", "identified", "identified"])
        #expect(identifiers.dropFirst().map { $0["fs_user_id"] } == ["ada", "bob"])
        #expect(client.deviceID == device && anonymous.deviceID == nil)
    }

    @Test func deviceIDsAreRecognized() {
        #expect(device.rawValue.count == 32 && DeviceID(rawValue: device.rawValue) == device)
        #expect(DeviceID(rawValue: "VUID_x")?.description == "VUID_x")
        #expect(DeviceID(rawValue: "ada") == nil && DeviceID(rawValue: "") == nil)
        #expect(DeviceID.new() != DeviceID.new())
    }

    @Test(arguments: ["https://odp.test", nil]) func aConfiguredServiceOverridesTheDatafile(
        host: String?
    ) async throws {
        let client = FlagClient(
            configuration { $0.segmentEventService = OdpService(host: "https://ours.test", key: "our key") })
        try client.user("ada").sendSegmentEvent("before the first datafile")
        try client.update(to: PlatformDatafile.bytes(host: host))
        try client.user("ada").sendSegmentEvent("after")
        await client.flush()
        #expect(actions == ["before the first datafile", "after"])
        let requests = transport.requests.map { [$0.url, $0.headers["x-api-key"]] }
        #expect(requests.allSatisfy { $0 == ["https://ours.test/v3/events", "our key"] })
    }

    @Test(arguments: 0..<20) func eventsAreSentToTheNewestDatafilesService(round: Int) async throws {
        let client = FlagClient(configuration())
        await concurrently(0..<8) { number in
            let host = number % 2 == 0 ? "https://\(number).test" : nil
            _ = try? client.update(to: PlatformDatafile.bytes(revision: "\(number)", host: host))
        }
        let project = try #require(client.project)
        let expected = project.integrations.first?.host
        do {
            try client.user("ada").sendSegmentEvent("a")
            await client.flush()
            #expect(transport.requests.first?.url == expected.map { $0 + "/v3/events" })
        } catch { #expect(error == .noService && expected == nil) }
    }
}

/// A store in memory whose events are not durable.
private struct VolatileStore: EventStore {
    private let memory = MemoryEventStore()
    var count: Int { memory.count }
    func append(_ event: OutgoingEvent) throws {
        try memory.append(event)
        throw EventStoreError.notDurable
    }
    func oldest(_ count: Int) throws -> [StoredEvent] { memory.oldest(count) }
    func remove(_ ids: [Int64]) throws { memory.remove(ids) }
}
