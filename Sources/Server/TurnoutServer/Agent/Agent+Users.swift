import TurnoutClient
import TurnoutEngine

// Routes about single users: overridden variations and stored assignments.

extension Agent {
    /// `POST /v1/override`: puts a user into a variation of an experiment; an empty variation ends that.
    func override(_ call: AgentCall) -> Answer {
        guard configuration.allowsOverrides else { return .now(.text(403, "Overrides not enabled\n")) }
        guard let body = OverrideBody(call.request.body) else { return .now(.unreadable) }
        guard !body.userID.isEmpty else { return .now(.agentError(400, "userId cannot be empty")) }
        guard !body.experiment.isEmpty else { return .now(.agentError(400, "experimentKey cannot be empty")) }
        var messages: [String] = []
        if !body.variation.isEmpty, let problem = problem(of: body, in: call.client.served.project) {
            messages.append(problem)
        }
        let previous: String?
        do throws(VariationOverrides.Full) {
            previous = try call.client.overrides.set(
                body.variation.isEmpty ? nil : body.variation, experiment: body.experiment, userID: body.userID)
        } catch { return .now(.agentError(507, "too many overrides")) }
        if !body.variation.isEmpty { services.onForce(body.userID, call.client.served.project.projectID) }
        if body.variation.isEmpty {
            messages.append(previous == nil ? "no pre-existing override" : "removing previous override")
        } else if previous != nil {
            messages.append("updating previous override")
        }
        return .now(.go { $0.override(body, previous: previous, messages) })
    }

    private func problem(of body: OverrideBody, in project: Project) -> String? {
        guard let experiment = project.experiment(body.experiment) else {
            return "experimentKey not found in configuration"
        }
        let isKnown = experiment.variations.contains { $0.key == body.variation }
        return isKnown ? nil : "variationKey not found in configuration"
    }

    /// `POST /v1/lookup`: the stored assignments of a user.
    func lookup(_ call: AgentCall) -> Answer {
        guard services.allowsProfileRoutes, let store = call.client.profiles else { return .now(.noProfiles) }
        guard let body = ProfileBody(call.request.body) else { return .now(.unreadable) }
        guard !body.userID.isEmpty else { return .now(.missingUser) }
        let log = services.log
        return Self.answer(isRemote: store.isRemote) {
            do {
                let profile = try store.profile(of: body.userID)
                return .go { $0.profile(profile, of: body.userID) }
            } catch {
                log.failure(.error, "the stored assignments of a user could not be looked up", error)
                return .agentError(500, "the profile could not be looked up")
            }
        }
    }

    /// `POST /v1/save`: replaces the stored assignments of a user.
    func save(_ call: AgentCall) -> Answer {
        guard services.allowsProfileRoutes, let store = call.client.profiles else { return .now(.noProfiles) }
        guard let body = ProfileBody(call.request.body) else { return .now(.unreadable) }
        guard !body.userID.isEmpty else { return .now(.missingUser) }
        if let store = store as? any AwaitableProfileStore {
            return .later {
                do {
                    try await store.awaitSave(body.assignments, for: body.userID)
                    return ServerResponse(200)
                } catch { return self.unsaved(error) }
            }
        }
        return Self.answer(isRemote: store.isRemote) {
            do {
                if let store = store as? any EditableProfileStore {
                    try store.replace(with: body.assignments, for: body.userID)
                } else {
                    // Other stores only merge.
                    try store.save(body.assignments, for: body.userID)
                }
                return ServerResponse(200)
            } catch { return self.unsaved(error) }
        }
    }

    private func unsaved(_ error: any Error) -> ServerResponse {
        services.log.failure(.error, "the assignments of a user could not be stored", error)
        return .agentError(500, "the profile could not be stored")
    }

    /// The answer of a function that may block.
    private static func answer(isRemote: Bool, _ body: @escaping @Sendable () -> ServerResponse) -> Answer {
        isRemote ? .blocking(body) : .now(body())
    }

    /// `POST /v1/reset`: forgets what the client for the SDK key keeps in memory.
    func reset(_ call: AgentCall) -> ServerResponse {
        clients.remove(call.client.sdkKey)
        return .go { $0.object { $0.member("result", true) } }
    }
}

/// The body of an override.
private struct OverrideBody {
    var userID = ""
    var experiment = ""
    var variation = ""

    init?(_ bytes: [UInt8]) {
        var body = OverrideBody()
        let names = ["userId", "experimentKey", "variationKey"]
        let isValid = AgentRequestBody.read(bytes, names) { (reader, name) throws(JSONError) in
            let text = try reader.readString().string
            switch name {
            case "userId": body.userID = text
            case "experimentKey": body.experiment = text
            default: body.variation = text
            }
        }
        guard isValid else { return nil }
        self = body
    }

    private init() {}
}

/// The body of a lookup, or of a profile to save.
private struct ProfileBody: Sendable {
    var userID = ""
    var assignments: [String: String] = [:]

    init?(_ bytes: [UInt8]) {
        var body = ProfileBody()
        let names = ["userId", "experimentBucketMap"]
        let isValid = AgentRequestBody.read(bytes, names) { (reader, name) throws(JSONError) in
            guard name != "userId" else { return body.userID = try reader.readString().string }
            try reader.members { (reader, experimentID) throws(JSONError) in
                if case .string(let id)? = try reader.readValue()["variation_id"] {
                    body.assignments[experimentID] = id
                }
            }
        }
        guard isValid else { return nil }
        self = body
    }

    private init() {}
}

extension ServerResponse {
    fileprivate static let noProfiles = ServerResponse.agentError(500, "no user profile service found")
}

extension JSONWriter {
    fileprivate mutating func override(_ body: OverrideBody, previous: String?, _ messages: [String]) {
        object {
            $0.member("userId", body.userID)
            $0.member("experimentKey", body.experiment)
            $0.member("variationKey", body.variation)
            $0.member("prevVariationKey", previous ?? "")
            $0.member("messages", messages.isEmpty ? .null : .array(messages.map(JSONValue.string)))
        }
    }

    fileprivate mutating func profile(_ profile: UserProfile, of userID: String) {
        object {
            $0.member("userId", userID)
            $0.object("experimentBucketMap") { writer in
                for (experimentID, variationID) in profile.assignments.sorted(by: { $0.key < $1.key }) {
                    writer.object(experimentID) { $0.member("variation_id", variationID) }
                }
            }
        }
    }
}
