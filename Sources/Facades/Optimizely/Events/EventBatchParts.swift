import TurnoutClient

/// A batch of events that was encoded elsewhere, split so that its events can be joined with others.
struct EventBatchParts {
    /// The account and the project of a batch.
    struct Owner: Hashable, Sendable {
        let account: String
        let project: String

        /// The owner of a payload or of its beginning; nil if it names none.
        init?(_ payload: JSONValue) {
            guard case .string(let account)? = payload["account_id"], case .string(let project)? = payload["project_id"]
            else { return nil }
            (self.account, self.project) = (account, project)
        }
    }

    private let envelope: String
    private let visitors: [JSONValue]

    /// Splits a body; nil if it is not a batch of events.
    init?(_ body: [UInt8]) {
        guard let payload = try? JSONValue(parsing: body), Owner(payload) != nil, case .object(var members) = payload,
            case .array(let visitors)? = members.removeValue(forKey: "visitors"), !visitors.isEmpty,
            visitors.allSatisfy({ if case .object = $0 { true } else { false } })
        else { return nil }
        self.visitors = visitors
        // The writer sorts members: encoders write them in any order, and envelopes of one project must be equal.
        envelope = JSONValue.object(members).compactText.dropLast() + ",\"visitors\":["
    }

    private static func text(_ value: JSONValue) -> [UInt8] { Array(value.compactText.utf8) }

    /// The events of the batch, addressed to an endpoint.
    func events(to address: String) -> [OutgoingEvent] {
        let group = OutgoingEvent.Group(region: .us, envelope: envelope, address: address)
        return visitors.map {
            OutgoingEvent(group: group, visitor: Self.text($0), timestamp: Self.timestamp(of: $0))
        }
    }

    /// The timestamp of a visitor's first event.
    private static func timestamp(of visitor: JSONValue) -> Int64? {
        guard case .array(let snapshots)? = visitor["snapshots"], case .array(let events)? = snapshots.first?["events"],
            case .integer(let time)? = events.first?["timestamp"]
        else { return nil }
        return time
    }
}
