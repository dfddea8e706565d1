import ServerTestSupport
import Testing
import TurnoutServer

/// From bodies to rows.
@Suite struct EventBatchParserTests {
    private func rows(_ body: [UInt8], receivedAt: Int64 = EventBodies.time) -> EventRows {
        EventBatchParser().rows(of: EventBodies.record(body, receivedAt: receivedAt))
    }

    private func rows(_ text: String) -> EventRows { rows(Array(text.utf8)) }

    @Test func membersOfAnExposureAndAConversion() throws {
        let uuid = EventBodies.uuid(1)
        let rows = rows(
            EventBodies.body(
                EventBodies.visitor(
                    "ada", EventBodies.exposure(uuid: uuid) + "," + EventBodies.conversion(uuid: EventBodies.uuid(2)))))
        #expect(rows.string(rows.projectID) == "12001")
        #expect(rows.string(rows.accountID) == "10001")
        #expect(rows.string(rows.clientName) == "python-sdk")
        let exposure = try #require(rows.exposures.first)
        #expect(rows.string(exposure.visitorID) == "ada")
        #expect(rows.string(exposure.arm.experiment) == "4101")
        #expect(rows.string(exposure.arm.variation) == "41012")
        #expect(rows.string(exposure.arm.flagKey) == "checkout_redesign")
        #expect(rows.string(exposure.arm.ruleType) == "feature-test")
        #expect(exposure.arm.isEnabled == true)
        #expect(rows.string(exposure.event.uuid) == uuid)
        #expect(exposure.event.timestamp == EventBodies.time)
        #expect(exposure.event.corrections == [])
        #expect(rows.string(exposure.attributes)?.hasPrefix(#"[{"entity_id":"3001""#) == true)
        let conversion = try #require(rows.conversions.first)
        #expect(rows.string(conversion.event.eventKey) == "purchase")
        #expect(conversion.revenue == 4_250)
        #expect(conversion.value == 42.5)
        #expect(rows.string(conversion.tags) == #"{"revenue":4250,"sku":"a-1"}"#)
        #expect(conversion.visitor == exposure.visitor)
        #expect(conversion.key != exposure.key)
        #expect(rows.rejected.isEmpty)
    }

    /// A body with three visitors. The second one has an attribute with this value.
    private func body(_ value: [UInt8]) -> [UInt8] {
        let attribute = #"{"entity_id":"1","key":"a","type":"custom","value":"#
        let ends = (0..<3).map { #","snapshots":[\#(EventBodies.conversion(uuid: EventBodies.uuid($0)))]}"# }
        return Array(
            (#"{"project_id":"1","account_id":"2","visitors":[{"visitor_id":"a","attributes":[]\#(ends[0]),"#
                + #"{"visitor_id":"b","attributes":[\#(attribute)"#).utf8) + value
            + Array(#"}]\#(ends[1]),{"visitor_id":"c"\#(ends[2])]}"#.utf8)
    }

    @Test(arguments: [
        (Array(#""ab\ud83d""#.utf8), "\"ab\u{FFFD}\""),
        (Array(#""\ude00\ud83d\ud83d\ude00 \\ud83d""#.utf8), "\"\u{FFFD}\u{FFFD}\\ud83d\\ude00 \\\\ud83d\""),
        ([0x22, 0xFF, 0xC3, 0x28, 0x22], "\"\u{FFFD}\u{FFFD}(\""), (Array("NaN".utf8), "null"),
        (Array("-Infinity".utf8), "null"),
    ])
    func whatIsNoJSONInAnAttributeIsReplaced(value: [UInt8], replacement: String) throws {
        let rows = rows(body(value))
        #expect(rows.conversions.map { rows.string($0.visitorID) } == ["a", "b", "c"])
        #expect(rows.rejected.isEmpty)
        #expect(rows.string(rows.conversions[1].attributes)?.hasSuffix("\"value\":\(replacement)}]") == true)
        #expect(rows.string(rows.accountID) == "2")
    }

    @Test(arguments: [
        "undefined", #""\x""#, "\"a\nb\"", "01", "{]",
        String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
    ])
    func aVisitorThatIsNotJSONCostsNoOther(value: String) {
        let rows = rows(body(Array(value.utf8)))
        #expect(rows.conversions.map { rows.string($0.visitorID) } == ["a", "c"])
        #expect(rows.rejected.map(\.reason) == [.syntax])
    }

    @Test func aBodyWithManyMistakesIsNotJSON() {
        let visitors = (0..<30).map { #"{"visitor_id":"\#($0)","attributes":undefined}"# }.joined(separator: ",")
        #expect(rows(#"{"visitors":[\#(visitors)]}"#).rejected.count == 1)
    }

    /// The vendor's Python client sends a decision that reached no rule with empty ids and a null variation.
    @Test func decisionsWithoutARuleAreExposures() throws {
        let rows = rows(
            """
            {"visitors":[{"snapshots":[{"decisions":[{"campaign_id":"","experiment_id":"","variation_id":null,\
            "metadata":{"flag_key":"f","rule_key":"","rule_type":"rollout","variation_key":"","enabled":false}}],\
            "events":[{"timestamp":\(EventBodies.time),"entity_id":"","uuid":"\(EventBodies.uuid(1))",\
            "key":"campaign_activated"}]}],"visitor_id":"u","attributes":[{"entity_id":"$opt_bot_filtering",\
            "key":"$opt_bot_filtering","type":"custom","value":true}]}],"project_id":"1","account_id":"2",\
            "client_name":"python-sdk","client_version":"5.7.0","revision":"3","anonymize_ip":true,\
            "enrich_decisions":true}
            """)
        let exposure = try #require(rows.exposures.first)
        #expect(rows.rejected.isEmpty)
        #expect(rows.string(exposure.arm.experiment)?.isEmpty == true)
        #expect(rows.string(exposure.arm.variation) == nil)
        #expect(rows.string(exposure.arm.ruleType) == "rollout")
        #expect(exposure.arm.isEnabled == false)
        #expect(rows.string(rows.projectID) == "1")
    }

    @Test func idsMayBeNumbersAndTimesTexts() throws {
        let rows = rows(
            """
            {"project_id":7,"visitors":[{"visitor_id":12,"snapshots":[{"decisions":[{"campaign_id":1,\
            "experiment_id":2,"variation_id":3}],"events":[{"key":"campaign_activated","entity_id":1,\
            "timestamp":"\(EventBodies.time)","uuid":"x"}]}]}]}
            """)
        let exposure = try #require(rows.exposures.first)
        #expect(rows.string(exposure.visitorID) == "12")
        #expect(rows.string(exposure.arm.variation) == "3")
        #expect(exposure.event.timestamp == EventBodies.time)
        #expect(rows.string(rows.projectID) == "7")
    }

    @Test func escapesAreResolved() throws {
        let rows = rows(
            #"{"visitors":[{"visitor_id":"a\u0301\n\ud83d\ude00","snapshots":[{"events":[{"key":"\"k\""}]}]}]}"#
        )
        let conversion = try #require(rows.conversions.first)
        #expect(rows.string(conversion.visitorID) == "a\u{301}\n😀")
        #expect(rows.string(conversion.event.eventKey) == "\"k\"")
    }

    @Test func severalDecisionsBelongToTheEventsOfTheirCampaigns() {
        let decisions = #"[{"campaign_id":"1","experiment_id":"11"},{"campaign_id":"2","experiment_id":"22"}]"#
        let events =
            """
            [{"key":"campaign_activated","entity_id":"1","uuid":"a"},\
            {"key":"campaign_activated","entity_id":"2","uuid":"b"}]
            """
        let both = rows(
            #"{"visitors":[{"visitor_id":"u","snapshots":[{"decisions":\#(decisions),"events":\#(events)}]}]}"#)
        #expect(both.exposures.map { both.string($0.arm.experiment) } == ["11", "22"])
        let single = #"[{"key":"campaign_activated","entity_id":"9","uuid":"a"}]"#
        let one = rows(
            #"{"visitors":[{"visitor_id":"u","snapshots":[{"decisions":\#(decisions),"events":\#(single)}]}]}"#)
        #expect(one.exposures.map { one.string($0.arm.experiment) } == ["11", "22"])
        #expect(Set(one.exposures.map(\.key)).count == 2)
    }

    // MARK: Identity

    @Test func theSpellingOfAnIDDoesNotMatter() throws {
        let uuid = EventBodies.uuid(5)
        let keys = [uuid.lowercased(), uuid.uppercased()].map { uuid in
            rows(EventBodies.body(EventBodies.visitor("u", EventBodies.conversion(uuid: uuid)))).conversions[0].key
        }
        #expect(keys[0] == keys[1])
        let other = rows(
            EventBodies.body(EventBodies.visitor("u", EventBodies.conversion(uuid: uuid)), project: "other"))
        #expect(other.conversions[0].key != keys[0])
    }

    @Test func eventsWithoutAnIDAreIdentifiedByTheirContent() {
        func key(_ user: String, _ time: Int64, _ tags: String) -> EventRows {
            rows(
                """
                {"visitors":[{"visitor_id":"\(user)","snapshots":[{"events":[{"key":"k","timestamp":\(time),\
                "tags":\(tags)}]}]}]}
                """)
        }
        let time = EventBodies.time
        let first = key("u", time, "{\"a\":1}")
        #expect(first.conversions[0].event.corrections == .uuid)
        #expect(first.conversions[0].key == key("u", time, "{\"a\":1}").conversions[0].key)
        for other in [key("v", time, "{\"a\":1}"), key("u", time - 1, "{\"a\":1}"), key("u", time, "{\"a\":2}")] {
            #expect(other.conversions[0].key != first.conversions[0].key)
        }
    }

    @Test(arguments: [
        0, -1, Int64.min, Int64.max, EventBodies.time - EventBatchParser.maximumAge - 1,
        EventBodies.time + EventBatchParser.maximumAdvance + 1,
    ]) func implausibleTimesAreReplacedByTheTimeOfReceipt(_ time: Int64) {
        let rows = rows(EventBodies.body(EventBodies.visitor("u", EventBodies.conversion(uuid: "1", timestamp: time))))
        #expect(rows.conversions[0].event.timestamp == EventBodies.time)
        #expect(rows.conversions[0].event.corrections == .timestamp)
        #expect(rows.conversions[0].event.day == 0)
    }

    // MARK: Malformed and hostile bodies

    @Test(arguments: [
        (
            #"{"visitors":[7,{"visitor_id":"u","snapshots":[{"events":[{"key":"k"}]}]}]}"#,
            RejectedPart.Reason.noVisitorID
        ),
        (
            #"{"visitors":[{"snapshots":[]},{"visitor_id":"u","snapshots":[{"events":[{"key":"k"}]}]}]}"#,
            .noVisitorID
        ),
        (#"{"visitors":[{"visitor_id":"u","snapshots":[null,{"events":[{"key":"k"}]}]}]}"#, .wrongType),
        (#"{"visitors":[{"visitor_id":"u","snapshots":[{"events":[[],{"key":"k"}]}]}]}"#, .noEventKey),
        (#"{"visitors":[{"visitor_id":"u","snapshots":[{"events":[{"uuid":"1"},{"key":"k"}]}]}]}"#, .noEventKey),
        (#"{"visitors":[{"visitor_id":"u","snapshots":[{"decisions":[{}]},{"events":[{"key":"k"}]}]}]}"#, .noEvent),
    ]) func theRestOfABodyIsUsed(_ text: String, _ reason: RejectedPart.Reason) {
        let rows = rows(text)
        #expect(rows.conversions.count == 1)
        #expect(rows.rejected.map(\.reason) == [reason])
    }

    @Test(arguments: [
        "{\"visitors\":[{\"visitor_id\":\"u\"", "{\"visitors\":[}", "{\"a\":01}", "{}}", "{\"visitors\":\"\u{1}\"}",
    ]) func aBodyThatIsNotJSONIsRejectedAsAWhole(_ text: String) {
        let rows = rows(text)
        #expect(rows.count == 0)
        #expect(rows.rejected.map(\.reason) == [.syntax])
        #expect(rows.rejected.map(\.count) == [text.utf8.count])
    }

    @Test(arguments: ["{}", "{\"visitors\":7}", "{\"visitors\":null}"]) func aBodyNeedsVisitors(_ text: String) {
        #expect(rows(text).rejected.map(\.reason) == [.noVisitors])
    }

    @Test func aDeepBodyIsRejected() {
        for open in ["[", "{\"a\":"] {
            let text = "{\"x\":" + String(repeating: open, count: 100_000) + "}"
            #expect(rows(text).rejected.map(\.reason) == [.syntax])
        }
    }

    @Test func hugeStringsAreRejectedOrSkipped() {
        let long = String(repeating: "x", count: 3_400_000)
        #expect(rows("{\"x\":\"\(long)\",\"visitors\":[]}").rejected.isEmpty)
        let user = rows("{\"visitors\":[{\"visitor_id\":\"\(long)\",\"snapshots\":[{\"events\":[{\"key\":\"k\"}]}]}]}")
        #expect(user.rejected.map(\.reason) == [.tooLong])
        #expect(user.count == 0)
        let escaped = String(repeating: "\\u0041", count: 500_000)
        #expect(rows("{\"visitors\":[{\"visitor_id\":\"\(escaped)\"}]}").rejected.map(\.reason) == [.tooLong])
    }

    @Test(arguments: ["1e400", "-1e400", "123456789012345678901234567890", "1.5", "\"x\"", "null", "[]", "true"])
    func strangeNumbersDoNotHarm(_ number: String) {
        let rows = rows(
            """
            {"visitors":[{"visitor_id":"u","snapshots":[{"events":[{"key":"k","timestamp":\(number),\
            "revenue":\(number),"value":\(number),"uuid":\(number),"tags":\(number)}]}]}]}
            """)
        #expect(rows.conversions.count == 1)
        #expect(rows.conversions.first?.event.timestamp == EventBodies.time)
    }
}
