/// The fields of all requests, one by one.
enum FieldTable {
    /// A request with impressions and conversions.
    static let events = Shape.object([
        "account_id": .text, "project_id": .text, "revision": .text, "client_name": .filled,
        "client_version": .filled, "anonymize_ip": .bool, "enrich_decisions": .bool, "region": .exactly("US", "EU"),
        "visitors": .array(visitor, count: 1...100_000),
    ])

    private static let visitor = Shape.object([
        "visitor_id": .text, "attributes": .array(attribute, count: 0...10_000),
        "snapshots": .array(.either(impression, conversion), count: 1...1),
    ])

    private static let attribute = Shape.object([
        "entity_id": .filled, "key": .filled, "type": .exactly("custom"), "value": .scalar,
    ])

    private static let impression = Shape.object([
        "decisions": .array(decision, count: 1...1),
        "events": .array(
            .object([
                "entity_id": .text, "key": .exactly("campaign_activated"), "timestamp": milliseconds, "uuid": .uuid,
                "tags": .object([:]),
            ]), count: 1...1),
    ])

    private static let decision = Shape.object([
        "campaign_id": .text, "experiment_id": .text, "variation_id": .either(.digits, .null),
        "metadata": .object(
            [
                "flag_key": .text, "rule_key": .text,
                "rule_type": .exactly("experiment", "feature-test", "rollout", "holdout"), "variation_key": .text,
                "enabled": .bool,
            ], optional: ["cmab_uuid": .uuid]),
    ])

    private static let conversion = Shape.object([
        "events": .array(
            .object(
                [
                    "entity_id": .filled, "key": .filled, "timestamp": milliseconds, "uuid": .uuid,
                    "tags": .object([:], others: .anything),
                ], optional: ["revenue": .integer(.min ... .max), "value": .number]), count: 1...1)
    ])

    /// Timestamps have 13 digits since 2001.
    private static let milliseconds = Shape.integer(1_000_000_000_000...9_999_999_999_999)

    /// A request with segment events.
    static let segmentEvents = Shape.array(
        .object([
            "type": .filled, "action": .filled, "identifiers": .object([:], others: .text),
            "data": .object(
                [
                    "idempotence_id": .uuid, "data_source_type": .exactly("sdk"), "data_source": .filled,
                    "data_source_version": .filled, "os": .filled, "os_version": .filled,
                    "device_type": .exactly("Phone", "Tablet", "Smart TV", "Watch", "PC", "Other"), "model": .filled,
                ], others: .scalarOrNull),
        ]), count: 1...10)

    /// A prediction request.
    static let prediction = Shape.object([
        "instances": .array(
            .object([
                "visitorId": .text, "experimentId": .filled, "cmabUUID": .uuid,
                "attributes": .array(
                    .object(["id": .filled, "value": .scalarOrNull, "type": .exactly("custom_attribute")]),
                    count: 0...100),
            ]), count: 1...1)
    ])
}
