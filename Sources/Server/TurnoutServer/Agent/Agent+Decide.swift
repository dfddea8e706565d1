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
        if !body.forcedDecisions.isEmpty { services.onForce(body.userID, call.client.served.project.projectID) }
        let (flags, given) = (RequestedFlags(call.request.head.query.values("keys")), options)
        guard body.fetchesSegments else { return answer(flags, for: body.user, given, by: call.client) }
        let (user, fetching) = (body.user, body.segmentOptions)
        return .later {
            var user = user
            do { user.segments = try await self.segments(of: user.id, fetching, by: call.client) } catch {
                let message = "segments for a decision could not be fetched, the request failed"
                self.services.log.failure(.warning, message, error)
                return .agentError(500, "failed to fetch qualified segments")
            }
            return await self.answer(flags, for: user, given, by: call.client).response
        }
    }

    private func answer(
        _ flags: RequestedFlags, for user: User, _ options: DecideOptions, by client: DecisionClient
    ) -> Answer {
        client.answer(flags, for: user, options: options) { decisions in
            .go { writer in
                if case .one = flags { return writer.decision(decisions[0], for: user) }
                // Unknown flags are not enabled, either.
                let isFiltered = options.contains(.enabledFlagsOnly)
                writer.beginArray()
                for decision in decisions where !isFiltered || decision.isEnabled {
                    writer.decision(decision, for: user)
                }
                writer.endArray()
            }
        }
    }

    private func segments(
        of userID: String, _ options: FetchSegmentsOptions, by client: DecisionClient
    ) async throws -> Set<String> {
        guard let segments = services.segments, !configuration.disablesSegments else {
            throw AgentSegments.Unavailable()
        }
        return Set(
            try await segments.segments(
                of: userID, by: client.served.project, sdkKey: client.sdkKey, options: options))
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

extension RequestedFlags {
    /// The flags with these keys; without keys, all.
    fileprivate init(_ keys: [String]) {
        var seen: Set<String> = []
        switch keys.count {
        case 0: self = .all
        case 1: self = .one(keys[0])
        default: self = .several(keys.filter { seen.insert($0).inserted })
        }
    }
}

extension JSONWriter {
    fileprivate mutating func decision(_ decision: Decision, for user: User) {
        object {
            $0.member("variationKey", decision.variationKey ?? "")
            $0.member("enabled", decision.isEnabled)
            $0.member("ruleKey", decision.ruleKey ?? "")
            $0.member("flagKey", decision.flagKey)
            $0.object("userContext") { writer in
                writer.member("userId", user.id)
                writer.member("attributes") { $0.goValue(user.attributes) }
            }
            $0.member("reasons", decision.agentReasons)
            let variables = decision.variables
            if !variables.isEmpty { $0.member("variables") { $0.goValue(variables) } }
            $0.member("isEveryoneElseVariation", decision.isEveryoneElse)
        }
    }
}

extension Decision {
    /// Whether the variation is from the rule for everyone else, which the vendor's application makes for each flag.
    fileprivate var isEveryoneElse: Bool {
        guard source == .rollout, let rule else { return false }
        return Rule.isGenerated(rule.key, ofRule: rule.id)
    }
}
