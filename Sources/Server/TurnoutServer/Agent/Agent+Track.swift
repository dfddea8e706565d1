import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `POST /v1/track?eventKey=…`: records a conversion.
    func track(_ call: AgentCall) -> Answer {
        var (userID, attributes) = ("", Attributes())
        var tags: [String: AttributeValue] = [:]
        let names = ["userId", "userAttributes", "eventTags"]
        let isValid = AgentRequestBody.read(call.request.body, names) { (reader, name) throws(JSONError) in
            switch name {
            case "userId": userID = try reader.readString().string
            case "userAttributes": attributes = try reader.attributes()
            default: tags = try reader.tags()
            }
        }
        guard isValid else { return .now(.unreadable) }
        guard let eventKey = call.request.head.query["eventKey"], !eventKey.isEmpty else {
            return .now(.agentError(400, "missing required path parameter: eventKey"))
        }
        let (user, sent) = (User(userID, attributes: attributes), tags)
        return .later {
            do throws(TrackError) { try await call.client.track(eventKey, for: user, tags: sent) } catch {
                guard case .unknownEvent = error else { return .agentError(500, error.description) }
                return Self.tracked(user, eventKey, "event with key \"\(eventKey)\" not found")
            }
            return Self.tracked(user, eventKey, nil)
        }
    }

    private static func tracked(_ user: User, _ eventKey: String, _ error: String?) -> ServerResponse {
        .go { writer in
            writer.object {
                $0.member("userId", user.id)
                $0.member("eventKey", eventKey)
                if let error { $0.member("error", error) }
            }
        }
    }

    /// `POST /v1/send-odp-event`: reports an event about a user to the data platform.
    func sendSegmentEvent(_ call: AgentCall) -> ServerResponse {
        guard let body = SegmentEventBody(call.request.body) else { return .unreadable }
        if body.action.isEmpty { return .agentError(400, "missing \"action\" in request payload") }
        if body.identifiers.isEmpty { return .agentError(400, "missing or empty \"identifiers\" in request payload") }
        let project = call.client.served.project
        guard OdpService(of: project) != nil || services.segments?.isAvailable(project) == true else {
            return .agentError(500, "ODP is not integrated")
        }
        let event: SegmentEvent
        do throws(SegmentEventError) {
            event = try SegmentEvent(
                type: body.type, action: body.action, identifiers: SegmentEvent.normalized(body.identifiers),
                data: body.data)
        } catch { return .agentError(500, "ODP data is not valid") }
        guard let send = services.sendSegmentEvent, !configuration.disablesSegments else {
            return .agentError(500, "ODP is not enabled")
        }
        if case .lost = send(event, project) { return .agentError(500, "ODP EventQueue is full") }
        return .go { $0.object { $0.member("success", true) } }
    }
}

/// The body of an event about a user.
private struct SegmentEventBody {
    var type = ""
    var action = ""
    var identifiers: [String: String] = [:]
    var data: [String: JSONValue] = [:]

    /// Reads a body; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        var body = SegmentEventBody()
        let names = ["type", "action", "identifiers", "data"]
        let isValid = AgentRequestBody.read(bytes, names) { (reader, name) throws(JSONError) in
            switch name {
            case "type": body.type = try reader.readString().string
            case "action": body.action = try reader.readString().string
            case "identifiers":
                try reader.members { (reader, key) throws(JSONError) in
                    body.identifiers[key] = try reader.skipNull() ? "" : try reader.readString().string
                }
            default:
                try reader.members { (reader, key) throws(JSONError) in body.data[key] = try reader.readValue() }
            }
        }
        guard isValid else { return nil }
        self = body
    }

    private init() {}
}
