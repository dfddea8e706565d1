@Suite(.ownThread) struct OdpEventTests {
    private let event = OdpEvent(
        type: "shop", action: "left", identifiers: ["email": "e"], data: ["qty": 2, "gift": false, "coupon": nil])

    @Test func dictionaryHasTheKnownKeys() throws {
        let dict = event.dict
        #expect(dict["type"] as? String == "shop")
        #expect(dict["action"] as? String == "left")
        #expect(dict["identifiers"] as? [String: String] == ["email": "e"])
        let data = try #require(dict["data"] as? [String: Any?])
        #expect(data["qty"] as? Int == 2)
        #expect(data["gift"] as? Bool == false)
        #expect(data["coupon"] as? NSNull != nil)
        #expect(JSONSerialization.isValidJSONObject([dict]))
    }

    @Test func storedEventRoundTrips() throws {
        let stored = try JSONEncoder().encode(event)
        #expect(try JSONDecoder().decode(OdpEvent.self, from: stored) == event)
    }

    @Test func dataIsStoredAsBase64OfItsJSON() throws {
        let stored = try JSONValue(parsing: Array(try JSONEncoder().encode(event)))
        let data = Data(#"{"coupon":null,"gift":false,"qty":2}"#.utf8).base64EncodedString()
        #expect(
            stored
                == .object([
                    "type": .string("shop"), "action": .string("left"),
                    "identifiers": .object(["email": .string("e")]), "dataSerial": .string(data),
                ]))
    }

    @Test func damagedStoreIsAnError() {
        let text = #"{"type":"a","action":"b","identifiers":{},"dataSerial":"W10="}"#
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(OdpEvent.self, from: Data(text.utf8)) }
    }

    @Test func equalEventsAreEqual() {
        let other = OdpEvent(
            type: "shop", action: "left", identifiers: ["email": "e"], data: ["qty": 2, "gift": false, "coupon": nil])
        #expect(event == other)
        #expect(event != OdpEvent(type: "shop", action: "left", identifiers: ["email": "e"], data: [:]))
    }
}
