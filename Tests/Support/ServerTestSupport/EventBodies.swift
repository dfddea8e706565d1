package import TurnoutServer

/// Bodies of requests to the vendor's intake, as its clients send them.
package enum EventBodies {
    /// A time within the range of all bodies: 2026-01-15 12:00 UTC.
    package static let time: Int64 = 1_768_478_400_000

    /// A body with visitors.
    package static func body(
        _ visitors: String, project: String = "12001", client: String = "python-sdk"
    ) -> [UInt8] {
        Array(
            """
            {"account_id":"10001","project_id":"\(project)","revision":"42","client_name":"\(client)",\
            "client_version":"5.7.0","anonymize_ip":true,"enrich_decisions":true,"visitors":[\(visitors)]}
            """.utf8)
    }

    /// A visitor with one snapshot.
    package static func visitor(_ id: String, _ snapshot: String, more attributes: [String: String] = [:]) -> String {
        let more = attributes.sorted { $0.key < $1.key }.map { name, value in
            ",{\"entity_id\":\"\(name)\",\"key\":\"\(name)\",\"type\":\"custom\",\"value\":\(value)}"
        }
        return """
            {"visitor_id":"\(id)","attributes":[{"entity_id":"3001","key":"country","type":"custom","value":"US"},\
            {"entity_id":"3002","key":"orders","type":"custom","value":12},{"entity_id":"3003","key":"premium",\
            "type":"custom","value":true}\(more.joined())],"snapshots":[\(snapshot)]}
            """
    }

    /// A snapshot with a decision.
    package static func exposure(uuid: String, variation: String = "41012", timestamp: Int64 = time) -> String {
        """
        {"decisions":[{"campaign_id":"4100","experiment_id":"4101","variation_id":"\(variation)","metadata":\
        {"flag_key":"checkout_redesign","rule_key":"checkout_test","rule_type":"feature-test",\
        "variation_key":"two_step","enabled":true}}],"events":[{"entity_id":"4100","timestamp":\(timestamp),\
        "key":"campaign_activated","uuid":"\(uuid)"}]}
        """
    }

    /// A snapshot with a conversion.
    package static func conversion(
        _ key: String = "purchase", uuid: String, revenue: Int? = 4_250, value: Double = 42.5, timestamp: Int64 = time
    ) -> String {
        let money = revenue.map {
            ",\"revenue\":\($0),\"value\":\(value),\"tags\":{\"revenue\":\($0),\"sku\":\"a-1\"}"
        }
        return """
            {"events":[{"entity_id":"5001","timestamp":\(timestamp),"key":"\(key)","uuid":"\(uuid)"\(money ?? "")}]}
            """
    }

    /// A UUID made from a number, which looks random.
    package static func uuid(_ number: Int) -> String {
        var hash = EventHash()
        hash.add(UInt64(truncatingIfNeeded: number))
        let high = String(hash.value, radix: 16)
        hash.add(1)
        let low = String(hash.value, radix: 16)
        let digits = Array(
            (String(repeating: "0", count: 16 - high.count) + high + low + "0000000000000000").prefix(32))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// A body with ten events of different visitors, nine exposures and a conversion; about 7 kB.
    package static func ten(_ number: Int, timestamp: Int64 = time) -> [UInt8] {
        let visitors = (0..<10).map { index in
            let event = number * 10 + index
            let id = "visitor-\(EventBodies.uuid(event / 3 &* 7_919))"
            let snapshot =
                index == 9
                ? conversion(uuid: uuid(event), timestamp: timestamp)
                : exposure(uuid: uuid(event), timestamp: timestamp)
            return visitor(id, snapshot)
        }
        return body(visitors.joined(separator: ","))
    }

    /// A record of a body, received at ``time``.
    package static func record(_ body: [UInt8], receivedAt: Int64 = time, offset: Int64 = 0) -> EventLogRecord {
        EventLogRecord(offset: offset, receivedAt: receivedAt, body: body)
    }
}
