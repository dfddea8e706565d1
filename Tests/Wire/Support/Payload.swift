/// A received request with impressions and conversions.
struct Payload {
    let json: JSONValue
    let events: [SentEvent]

    var region: String? { json["region"]?.text }
    var revision: String? { json["revision"]?.text }

    init(_ request: ReceivedRequest, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(request.method == "POST", sourceLocation: sourceLocation)
        #expect(request.headers["content-type"] == "application/json", sourceLocation: sourceLocation)
        json = try parsed(request, as: FieldTable.events, sourceLocation: sourceLocation)
        events = json["visitors"]?.elements.map { SentEvent(visitor: $0) } ?? []
        for event in events where event.decision != nil {
            #expect(event.decision?["campaign_id"] == event.content["entity_id"], sourceLocation: sourceLocation)
        }
    }
}

/// A received impression or conversion.
struct SentEvent {
    let visitor: JSONValue
    var snapshot: JSONValue { visitor["snapshots"]?.elements.first ?? .null }
    var content: JSONValue { snapshot["events"]?.elements.first ?? .null }
    /// The decision of an impression, or nil for a conversion.
    var decision: JSONValue? { snapshot["decisions"]?.elements.first }
    var user: String { visitor["visitor_id"]?.text ?? "" }
    var uuid: String { content["uuid"]?.text ?? "" }

    /// The attributes, by key.
    var attributes: [String: JSONValue] {
        let pairs = visitor["attributes"]?.elements.map { ($0["key"]?.text ?? "", $0["value"] ?? .null) }
        return Dictionary(pairs ?? []) { $1 }
    }
}

/// The body of a request, which must match a shape.
func parsed(
    _ request: ReceivedRequest, as shape: Shape, sourceLocation: SourceLocation = #_sourceLocation
) throws -> JSONValue {
    let json = try JSONValue(parsing: [UInt8](request.body))
    // Checks our parser: Foundation must accept the body, too.
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
        _ = try JSONSerialization.jsonObject(with: request.body)
    }
    let problems = shape.problems(with: json)
    #expect(problems.isEmpty, sourceLocation: sourceLocation)
    return json
}

extension TestNetwork {
    /// The requests to an address for events.
    func payloads(_ address: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [Payload] {
        try requests(address).map { try Payload($0, sourceLocation: sourceLocation) }
    }

    /// All events of the US region.
    func events(sourceLocation: SourceLocation = #_sourceLocation) throws -> [SentEvent] {
        try payloads(Address.us, sourceLocation: sourceLocation).flatMap(\.events)
    }
}

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
}
