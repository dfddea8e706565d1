import Testing
import TurnoutClient
import TurnoutEngine

@Suite struct SegmentEventTests {
    private func event(
        type: String? = nil, action: String = "added_to_cart", identifiers: [String: String] = ["fs_user_id": "ada"],
        data: [String: JSONValue] = [:]
    ) throws(SegmentEventError) -> SegmentEvent {
        try SegmentEvent(type: type, action: action, identifiers: identifiers, data: data)
    }

    @Test(arguments: [nil, ""]) func typeHasADefault(type: String?) throws {
        #expect(try event(type: type).type == "fullstack")
    }

    @Test func actionIsRequired() {
        #expect(throws: SegmentEventError.noAction) { try event(action: "") }
    }

    @Test(arguments: [[:], ["fs_user_id": ""], ["": "ada"]]) func someIdentifierIsRequired(
        identifiers: [String: String]
    ) {
        #expect(throws: SegmentEventError.noIdentifier) { try event(identifiers: identifiers) }
    }

    @Test(arguments: [JSONValue.array([]), .object([:]), .double(.nan), .double(.infinity)])
    func dataValuesAreScalars(value: JSONValue) {
        #expect(throws: SegmentEventError.invalidData("x")) {
            try event(action: "", data: ["a": .null, "x": value])
        }
    }

    @Test(arguments: ["fs-user-id", "FS_USER_ID", "FS-USER-ID", "Fs-User-Id"])
    func otherSpellingsOfTheUserIDAreNormalized(spelling: String) {
        #expect(
            SegmentEvent.normalized([spelling: "ada", "email": "a@example.test"])
                == ["fs_user_id": "ada", "email": "a@example.test"])
    }

    @Test func exactSpellingTakesPrecedence() {
        let identifiers = ["fs_user_id": "ada", "FS_USER_ID": "bob"]
        #expect(SegmentEvent.normalized(identifiers) == identifiers)
    }

    @Test func theChoiceAmongSpellingsIsDeterministic() {
        for _ in 0..<20 {
            let identifiers = SegmentEvent.normalized(["fs-user-id": "c", "FS_USER_ID": "b", "FS-USER-ID": "a"])
            #expect(identifiers == ["fs_user_id": "a", "fs-user-id": "c", "FS_USER_ID": "b"])
        }
    }

    @Test func otherNamesAreUnchanged() {
        let identifiers = ["Email": "a", "VUID": "b", "user_id": "c"]
        #expect(SegmentEvent.normalized(identifiers) == identifiers)
    }

    @Test func dataOfTheCallerPrecedesCommonData() {
        let origin = SegmentEventOrigin(source: "swift-sdk", sourceVersion: "5.4.2", os: "Linux", osVersion: "12")
        let data = origin.adding(to: ["os": .string("mine"), "qty": .integer(2)], id: EventID(1, 2))
        #expect(
            data == [
                "idempotence_id": .string("00000000-0000-4001-8000-000000000002"), "data_source_type": .string("sdk"),
                "data_source": .string("swift-sdk"), "data_source_version": .string("5.4.2"), "os": .string("mine"),
                "os_version": .string("12"), "device_type": .string("Other"), "model": .string("N/A"),
                "qty": .integer(2),
            ])
    }

    @Test func requestIsAnArrayOfEvents() async throws {
        let first = try event(data: ["qty": .integer(2), "coupon": .null, "gift": .bool(false), "price": .double(19.5)])
        let second = try event(type: "shop", action: "left")
        let service = OdpService(host: "https://platform.test", key: "k")
        let transport = MemoryTransport()
        let delivery = EventOptions().delivery(over: transport)
        _ = try await delivery([service.outgoing(first), service.outgoing(second)])
        let request = try #require(transport.requests.first)
        #expect(request.url == "https://platform.test/v3/events")
        #expect(request.method == .post)
        #expect(request.headers == ["Content-Type": "application/json", "x-api-key": "k"])
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"[{"type":"fullstack","action":"added_to_cart","identifiers":{"fs_user_id":"ada"},"#
                + #""data":{"coupon":null,"gift":false,"price":19.5,"qty":2}},"#
                + #"{"type":"shop","action":"left","identifiers":{"fs_user_id":"ada"},"data":{}}]"#)
    }

    @Test func visitorsIDHas32Characters() {
        let id = OdpUserKey.newVUID(random: .seeded(7))
        #expect(id.count == 32)
        #expect(id.hasPrefix("vuid_"))
        #expect(id.dropFirst(5).allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(OdpUserKey.newVUID(random: .seeded(8)) != id)
    }

    @Test func cacheKeyNamesTheUserAndTheKindOfID() {
        #expect(OdpUserKey.cacheKey(for: "user_1") == "fs_user_id-$-user_1")
        #expect(OdpUserKey.cacheKey(for: "vuid_1") == "vuid-$-vuid_1")
    }
}
