import Foundation
import Optimizely

/// Runs cases as a program that uses the `Optimizely` module: with a client and custom services.
struct FacadeRunner: SpecificationRunner {
    private let input: JSONValue
    private let client: OptimizelyClient
    private let recording = Recording()
    private let userID: String
    private let attributes: OptimizelyAttributes
    let forcedVariationResults: [JSONValue]

    init(_ input: JSONValue, datafile: [UInt8]?) throws(SpecificationFailure) {
        self.input = input
        userID = input["userId"]?.text ?? "u"
        attributes = (input["attributes"]?.members ?? [:]).mapValues(\.untagged)
        client = Self.client(input, recording)
        if let datafile {
            let client = client
            try Self.catching { try client.start(datafile: Data(datafile), doFetchDatafileBackground: false) }
        }
        let (client, userID) = (client, userID)
        forcedVariationResults = (input["setForcedVariation"]?.elements ?? []).map { forced in
            .bool(
                client.setForcedVariation(
                    experimentKey: forced["experiment"]?.text ?? "", userId: userID,
                    variationKey: forced["variation"]?.text))
        }
    }

    private static func client(_ input: JSONValue, _ recording: Recording) -> OptimizelyClient {
        var environment = HostEnvironment()
        environment.transport = MemoryTransport()
        environment.predictions = RecordingPredictions(
            variationID: input["cmabVariationId"]?.text, recording: recording)
        environment.wallClock = .fixed(1_700_000_000_000)
        environment.random = ConstantRandom()
        let client = HostEnvironment.$override.withValue(environment) {
            // Clients with the same key would share their services.
            OptimizelyClient(
                sdkKey: UUID().uuidString, logger: SilentLogger(), eventDispatcher: RecordingDispatcher(recording),
                datafileHandler: NoDatafiles(),
                userProfileService: RecordingProfiles(input["ups"]?.members ?? [:], recording),
                defaultDecideOptions: options(input["defaultOptions"]),
                settings: OptimizelySdkSettings(disableOdp: true))
        }
        _ = client.notificationCenter?.addDecisionNotificationListener { type, userID, _, info in
            recording.add(
                notification: .object([
                    "type": .string(type), "userId": .string(userID), "info": JSONValue(untyped: info),
                ]))
        }
        return client
    }

    func finish() { client.close() }

    // MARK: Records

    /// The uuid of predictions with ``ConstantRandom``; cases have a placeholder.
    private static let predictionUUID = ConstantRandom().eventID().description

    private static func anonymous(_ value: JSONValue) -> JSONValue { value.replacing(predictionUUID, with: "<UUID>") }

    var impressions: [JSONValue] { recording.impressions.map(Self.anonymous) }
    var notifications: [JSONValue] { recording.notifications.map(Self.anonymous) }
    var saves: [JSONValue] { recording.saves }
    var lookups: Int { recording.lookups }
    var predictionCalls: [JSONValue] { recording.predictionCalls }

    // MARK: Operations

    func run() async throws(SpecificationFailure) -> JSONValue {
        let operation = input["op"]?.text ?? ""
        if operation.hasPrefix("decide") { return Self.anonymous(await decide(operation)) }
        return try Self.catching { try callOlder(operation) }
    }

    /// Throws the text of an error, without the prefix of printed errors.
    private static func catching<Result>(_ operation: () throws -> Result) throws(SpecificationFailure) -> Result {
        do { return try operation() } catch {
            throw SpecificationFailure(text: (error as? OptimizelyError)?.errorDescription ?? "\(error)")
        }
    }

    // MARK: decide

    private static let namedOptions: [String: OptimizelyDecideOption] = [
        "disableDecisionEvent": .disableDecisionEvent, "enabledFlagsOnly": .enabledFlagsOnly,
        "ignoreUserProfileService": .ignoreUserProfileService, "includeReasons": .includeReasons,
        "excludeVariables": .excludeVariables, "ignoreCmabCache": .ignoreCmabCache,
        "resetCmabCache": .resetCmabCache, "invalidateUserCmabCache": .invalidateUserCmabCache,
    ]

    private static func options(_ names: JSONValue?) -> [OptimizelyDecideOption] {
        (names?.texts ?? []).compactMap { namedOptions[$0] }
    }

    private func user() -> OptimizelyUserContext {
        let user = OptimizelyUserContext(optimizely: client, userId: userID, attributes: attributes)
        if let segments = input["segments"] { user.qualifiedSegments = segments.texts }
        for forced in input["forcedDecisions"]?.elements ?? [] {
            let context = OptimizelyDecisionContext(flagKey: forced["flag"]?.text ?? "", ruleKey: forced["rule"]?.text)
            let decision = OptimizelyForcedDecision(variationKey: forced["variation"]?.text ?? "")
            _ = user.setForcedDecision(context: context, decision: decision)
        }
        return user
    }

    private func decide(_ operation: String) async -> JSONValue {
        let (user, options) = (user(), Self.options(input["options"]))
        let (key, keys) = (input["key"]?.text ?? "", input["keys"]?.texts ?? [])
        return switch operation {
        case "decide": Self.json(user.decide(key: key, options: options))
        case "decideAsync": Self.json(await user.decideAsync(key: key, options: options))
        case "decideKeys": .object(user.decide(keys: keys, options: options).mapValues(Self.json))
        case "decideKeysAsync": .object(await user.decideAsync(keys: keys, options: options).mapValues(Self.json))
        default: .object(user.decideAll(options: options).mapValues(Self.json))
        }
    }

    private static func json(_ decision: OptimizelyDecision) -> JSONValue {
        .object([
            "flagKey": .string(decision.flagKey), "variationKey": JSONValue(decision.variationKey),
            "ruleKey": JSONValue(decision.ruleKey), "enabled": .bool(decision.enabled),
            "variables": json(decision.variables), "reasons": .array(decision.reasons.map { .string($0) }),
        ])
    }

    private static func json(_ json: OptimizelyJSON) -> JSONValue { JSONValue(untyped: json.toMap()) }

    // MARK: Older calls

    private func callOlder(_ operation: String) throws -> JSONValue {
        let key = input["key"]?.text ?? ""
        switch operation {
        case "activate": return .string(try client.activate(experimentKey: key, userId: userID, attributes: attributes))
        case "getVariation":
            return .string(try client.getVariationKey(experimentKey: key, userId: userID, attributes: attributes))
        case "getForcedVariation": return JSONValue(client.getForcedVariation(experimentKey: key, userId: userID))
        case "isFeatureEnabled":
            return .bool(client.isFeatureEnabled(featureKey: key, userId: userID, attributes: attributes))
        case "getEnabledFeatures":
            return .array(client.getEnabledFeatures(userId: userID, attributes: attributes).map { .string($0) })
        case "allVars":
            return Self.json(try client.getAllFeatureVariables(featureKey: key, userId: userID, attributes: attributes))
        default: return try variable(operation, key, input["variableKey"]?.text ?? "")
        }
    }

    private func variable(_ operation: String, _ key: String, _ variableKey: String) throws -> JSONValue {
        switch operation {
        case "varInt":
            return JSONValue(
                untyped: try client.getFeatureVariableInteger(
                    featureKey: key, variableKey: variableKey, userId: userID, attributes: attributes))
        case "varDouble":
            return JSONValue(
                untyped: try client.getFeatureVariableDouble(
                    featureKey: key, variableKey: variableKey, userId: userID, attributes: attributes))
        case "varBool":
            return .bool(
                try client.getFeatureVariableBoolean(
                    featureKey: key, variableKey: variableKey, userId: userID, attributes: attributes))
        case "varString":
            return .string(
                try client.getFeatureVariableString(
                    featureKey: key, variableKey: variableKey, userId: userID, attributes: attributes))
        case "varJSON":
            return Self.json(
                try client.getFeatureVariableJSON(
                    featureKey: key, variableKey: variableKey, userId: userID, attributes: attributes))
        default: throw SpecificationFailure(text: "unknown operation")
        }
    }
}
