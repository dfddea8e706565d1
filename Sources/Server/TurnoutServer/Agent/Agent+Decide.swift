import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `POST /v1/decide?keys=a&keys=b`: one key gives an object, several or none give a list.
    func decide(_ call: AgentCall) -> Answer {
        guard let body = DecideBody(call.request.body) else { return .now(.unreadable) }
        guard !body.userID.isEmpty else { return .now(.missingUser) }
        var options: DecideOptions = []
        for name in body.options {
            guard let option = Self.option(name) else { return .now(.agentError(400, "invalid option: \(name)")) }
            options.formUnion(option)
        }
        let keys = call.request.head.query.values("keys")
        let request = DecideRequest(user: body.user, keys: keys, options: options)
        if body.fetchesSegments {
            let fetching = body.segmentOptions
            return .later { await self.decideWithSegments(request, fetching, by: call.client) }
        }
        return call.client.answer(for: request.user.id) {
            self.decide(request, by: call.client)
        } awaiting: {
            await self.decide(request, by: call.client)
        }
    }

    private func decide(_ request: DecideRequest, by client: DecisionClient) -> ServerResponse {
        let (user, options) = (request.user, request.options)
        if request.keys.count == 1 {
            let decision = client.decide(request.keys[0], for: user, options: options)
            return .go { $0.decision(decision, for: user) }
        }
        return response(
            request.keys.isEmpty
                ? client.decideAll(for: user, options: options)
                : client.decide(request.keys.unique, for: user, options: options), to: request)
    }

    private func decide(_ request: DecideRequest, by client: DecisionClient) async -> ServerResponse {
        let (user, options) = (request.user, request.options)
        if request.keys.count == 1 {
            let decision = await client.decide(request.keys[0], for: user, options: options)
            return .go { $0.decision(decision, for: user) }
        }
        return response(
            request.keys.isEmpty
                ? await client.decideAll(for: user, options: options)
                : await client.decide(request.keys.unique, for: user, options: options), to: request)
    }

    private func decideWithSegments(
        _ request: DecideRequest, _ options: FetchSegmentsOptions, by client: DecisionClient
    ) async -> ServerResponse {
        var request = request
        do {
            guard let segments = services.segments, !configuration.disablesSegments else {
                throw AgentSegments.Unavailable()
            }
            request.user.segments = Set(
                try await segments.segments(
                    of: request.user.id, by: client.served.project, sdkKey: client.sdkKey, options: options))
        } catch {
            services.log.failure(.warning, "segments for a decision could not be fetched, the request failed", error)
            return .agentError(500, "failed to fetch qualified segments")
        }
        return await decide(request, by: client)
    }

    private func response(_ decisions: [Decision], to request: DecideRequest) -> ServerResponse {
        // Unknown flags are not enabled, either.
        let isFiltered = request.options.contains(.enabledFlagsOnly)
        return .go { writer in
            writer.beginArray()
            for decision in decisions where !isFiltered || decision.isEnabled {
                writer.decision(decision, for: request.user)
            }
            writer.endArray()
        }
    }

    private static func option(_ name: String) -> DecideOptions? {
        switch name {
        case "DISABLE_DECISION_EVENT": .disableDecisionEvent
        case "ENABLED_FLAGS_ONLY": .enabledFlagsOnly
        case "IGNORE_USER_PROFILE_SERVICE": .ignoreUserProfileService
        case "INCLUDE_REASONS": .includeReasons
        case "EXCLUDE_VARIABLES": .excludeVariables
        case "IGNORE_CMAB_CACHE": .ignoreCmabCache
        case "RESET_CMAB_CACHE": .resetCmabCache
        case "INVALIDATE_USER_CMAB_CACHE": .invalidateUserCmabCache
        default: nil
        }
    }
}

private struct DecideRequest: Sendable {
    var user: User
    let keys: [String]
    let options: DecideOptions
}

/// The body of a request for decisions.
private struct DecideBody {
    var userID = ""
    var attributes = Attributes()
    var options: [String] = []
    var forcedDecisions: ForcedDecisions = [:]
    var fetchesSegments = false
    var segmentOptions: FetchSegmentsOptions = []

    private static let names = [
        "userId", "userAttributes", "decideOptions", "forcedDecisions", "fetchSegments", "fetchSegmentsOptions",
    ]

    /// Reads a body; nil if it is malformed.
    init?(_ bytes: [UInt8]) {
        var body = DecideBody()
        let isValid = AgentRequestBody.read(bytes, Self.names) { (reader, name) throws(JSONError) in
            try body.read(name, &reader)
        }
        guard isValid else { return nil }
        self = body
    }

    private init() {}

    private mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
        switch name {
        case "userId": userID = try reader.readString().string
        case "userAttributes": attributes = try reader.attributes()
        case "decideOptions": options = try reader.strings()
        case "fetchSegments": fetchesSegments = try reader.readBool()
        case "fetchSegmentsOptions":
            for option in try reader.strings() {
                if option == "IGNORE_CACHE" { segmentOptions.insert(.ignoreCache) }
                if option == "RESET_CACHE" { segmentOptions.insert(.resetCache) }
            }
        default: try readForcedDecisions(&reader)
        }
    }

    private mutating func readForcedDecisions(_ reader: inout JSONReader) throws(JSONError) {
        var decisions: ForcedDecisions = [:]
        try reader.elements { (reader) throws(JSONError) in
            var (flag, rule, variation) = ("", "", "")
            try reader.members { (reader, key) throws(JSONError) in
                switch key.lowercased() {
                case "flagkey": flag = try reader.optionalString()
                case "rulekey": rule = try reader.optionalString()
                case "variationkey": variation = try reader.optionalString()
                default: try reader.skipValue()
                }
            }
            decisions[DecisionContext(flag: flag, rule: rule.isEmpty ? nil : rule)] = variation
        }
        forcedDecisions = decisions
    }

    /// The user, with the forced decisions.
    var user: User {
        var user = User(userID, attributes: attributes)
        if !forcedDecisions.isEmpty { user.forcedDecisions = forcedDecisions }
        return user
    }
}

extension JSONReader {
    /// Reads a string; `null` is empty.
    fileprivate mutating func optionalString() throws(JSONError) -> String {
        try skipNull() ? "" : try readString().string
    }
}

extension [String] {
    /// The elements without repetitions, in their order.
    fileprivate var unique: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

extension JSONWriter {
    fileprivate mutating func decision(_ decision: Decision, for user: User) {
        beginObject()
        member("variationKey", decision.variationKey ?? "")
        member("enabled", decision.isEnabled)
        member("ruleKey", decision.ruleKey ?? "")
        member("flagKey", decision.flagKey)
        key("userContext")
        beginObject()
        member("userId", user.id)
        key("attributes")
        goValue(user.attributes)
        endObject()
        member("reasons", decision.agentReasons)
        let variables = decision.variables
        if !variables.isEmpty {
            key("variables")
            goValue(variables)
        }
        member("isEveryoneElseVariation", decision.isEveryoneElse)
        endObject()
    }
}

extension Decision {
    /// Whether the variation is from the rule for everyone else, which the vendor's application makes for each flag.
    fileprivate var isEveryoneElse: Bool {
        guard source == .rollout, let rule else { return false }
        return Rule.isGenerated(rule.key, ofRule: rule.id)
    }
}
