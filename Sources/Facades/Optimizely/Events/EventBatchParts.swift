import TurnoutClient

/// A batch of events that was encoded elsewhere, split without changing the spelling of its values.
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
    private let visitors: [[UInt8]]
    private let timestamps: [Int64?]

    /// Splits a body; nil if it is not a batch of events.
    init?(_ body: [UInt8]) {
        guard let payload = try? JSONValue(parsing: body), Owner(payload) != nil,
            case .array(let values)? = payload["visitors"], !values.isEmpty,
            let members = JSONSlices(body).members, let list = members.last(where: { $0.name == "visitors" }),
            Set(members.map(\.name)).count == members.count
        else { return nil }
        let elements = JSONSlices(body).parts(from: list.value.lowerBound)
        guard elements.count == values.count, elements.allSatisfy({ body[$0.lowerBound] == UInt8(ascii: "{") }) else {
            return nil
        }
        visitors = elements.map { Array(body[$0]) }
        timestamps = values.map(Self.timestamp)
        // Sorted, because encoders write members in any order, and envelopes of one project must be equal.
        var head = "{"
        for member in members.sorted(by: { $0.name < $1.name }) where member.name != "visitors" {
            head += String(decoding: body[member.quotedName], as: UTF8.self) + ":"
            head += String(decoding: body[member.value], as: UTF8.self) + ","
        }
        envelope = head + "\"visitors\":["
    }

    /// The events of the batch, addressed to an endpoint.
    func events(to address: String) -> [OutgoingEvent] {
        let group = OutgoingEvent.Group(region: .us, envelope: envelope, address: address)
        return zip(visitors, timestamps).map { OutgoingEvent(group: group, visitor: $0, timestamp: $1) }
    }

    /// The timestamp of a visitor's first event.
    private static func timestamp(of visitor: JSONValue) -> Int64? {
        guard case .array(let snapshots)? = visitor["snapshots"], case .array(let events)? = snapshots.first?["events"],
            case .integer(let time)? = events.first?["timestamp"]
        else { return nil }
        return time
    }
}
