/// A minimal client for the cases: one project, one user's profile, and a record of everything that happens. The engine
/// makes all decisions.
struct EngineRunner: SpecificationRunner {
    private let input: JSONValue
    private let project: Project?
    private let userID: String
    private var user: User
    /// The bucket maps in the profile service, valid or not, as in the case.
    private var profiles: [String: JSONValue]
    private var predictionCache: [String: (hash: String, prediction: Prediction)] = [:]

    private(set) var impressions: [JSONValue] = []
    private(set) var notifications: [JSONValue] = []
    private(set) var saves: [JSONValue] = []
    private(set) var lookups = 0
    private(set) var predictionCalls: [JSONValue] = []
    private(set) var forcedVariationResults: [JSONValue] = []

    init(_ input: JSONValue, datafile: [UInt8]?) throws(SpecificationFailure) {
        self.input = input
        do throws(DatafileError) {
            project = try datafile.map { datafile throws(DatafileError) in try Project(datafile: datafile) }
        } catch { throw SpecificationFailure(text: error.compatibleText) }
        userID = input["userId"]?.text ?? "u"
        user = User(userID, of: input)
        profiles = input["ups"]?.members ?? [:]
        for forced in input["forcedDecisions"]?.elements ?? [] {
            let context = DecisionContext(flag: forced["flag"]?.text ?? "", rule: forced["rule"]?.text)
            user.forcedDecisions[context] = forced["variation"]?.text
        }
        for forced in input["setForcedVariation"]?.elements ?? [] { setForcedVariation(forced) }
    }

    private mutating func setForcedVariation(_ forced: JSONValue) {
        guard let experiment = project?.experiment(forced["experiment"]?.text ?? "") else {
            return forcedVariationResults.append(.bool(false))
        }
        guard let key = forced["variation"]?.text?.trimmingBlanks else {
            user.forcedVariations[experiment.id] = nil
            return forcedVariationResults.append(.bool(true))
        }
        let variation = experiment.variations.first { $0.key == key }
        if let variation { user.forcedVariations[experiment.id] = variation.id }
        forcedVariationResults.append(.bool(variation != nil))
    }

    private func forcedVariation(_ experimentKey: String) -> JSONValue {
        let experiment = project?.experiment(experimentKey)
        let id = experiment.flatMap { user.forcedVariations[$0.id] }
        return JSONValue(experiment?.variations.first { $0.id == id }?.key)
    }

    // MARK: Operations

    /// Runs the case's operation and returns its result.
    mutating func run() async throws(SpecificationFailure) -> JSONValue {
        let key = input["key"]?.text ?? ""
        switch input["op"]?.text ?? "" {
        case "decide": return decide([key], isSingle: true, isAsync: false)
        case "decideAsync": return decide([key], isSingle: true, isAsync: true)
        case "decideKeys": return decide(input["keys"]?.texts ?? [], isSingle: false, isAsync: false)
        case "decideKeysAsync": return decide(input["keys"]?.texts ?? [], isSingle: false, isAsync: true)
        case "decideAll": return decideAll()
        case "activate": return try experiment(key, activates: true)
        case "getVariation": return try experiment(key, activates: false)
        case "getForcedVariation": return forcedVariation(key)
        case "isFeatureEnabled": return .bool(isFeatureEnabled(key))
        case "getEnabledFeatures":
            return .array((project?.flags ?? []).map(\.key).filter { isFeatureEnabled($0) }.map { .string($0) })
        case "varInt": return try variable(.integer)
        case "varDouble": return try variable(.double)
        case "varBool": return try variable(.boolean)
        case "varString": return try variable(.string)
        case "varJSON": return try variable(.json)
        case "allVars": return try allVariables(key)
        default: throw SpecificationFailure(text: "unknown operation")
        }
    }

    // MARK: decide

    private var options: DecideOptions {
        DecideOptions(names: (input["options"]?.texts ?? []) + (input["defaultOptions"]?.texts ?? []))
    }

    private mutating func decide(_ keys: [String], isSingle: Bool, isAsync: Bool) -> JSONValue {
        guard let project else { return isSingle ? .decision(.notReady(keys.first ?? "")) : .object([:]) }
        if isSingle, project.flag(keys[0]) == nil { return .decision(project.decide(keys[0], for: user)) }
        guard !keys.isEmpty else { return .object([:]) }
        let options = isSingle ? self.options.subtracting(.enabledFlagsOnly) : self.options
        let profile = options.contains(.ignoreUserProfileService) ? UserProfile() : loadProfile()
        var predictions: [String: Prediction] = [:]
        var batch = project.decide(
            keys, for: user, profile: profile, predictions: isAsync ? .received(predictions) : .unavailable,
            options: options)
        while case let requests = batch.predictionRequests(for: user), !requests.isEmpty {
            // One at a time, as in the reference: a prediction may make the next request unnecessary.
            predictions[requests[0].ruleID] = predict(requests[0])
            batch = project.decide(
                keys, for: user, profile: profile, predictions: .received(predictions), options: options)
        }
        save(batch.assignments, over: profile)
        for decision in batch.decisions { apply(decision) }
        if isSingle { return .decision(batch.selected[0]) }
        return .object(Dictionary(batch.selected.map { ($0.flagKey, .decision($0)) }) { $1 })
    }

    private mutating func decideAll() -> JSONValue {
        guard let project else { return .object([:]) }
        let profile = options.contains(.ignoreUserProfileService) ? UserProfile() : loadProfile()
        let batch = project.decideAll(for: user, profile: profile, options: options)
        save(batch.assignments, over: profile)
        for decision in batch.decisions { apply(decision) }
        return .object(Dictionary(batch.selected.map { ($0.flagKey, .decision($0)) }) { $1 })
    }

    private mutating func apply(_ decision: Decision) {
        if let impression = decision.impression { impressions.append(.impression(impression)) }
        if let notification = decision.notification { notify("flag", .notification(notification)) }
    }

    private mutating func notify(_ type: String, _ info: JSONValue) {
        notifications.append(.object(["type": .string(type), "userId": .string(userID), "info": info]))
    }

    private mutating func predict(_ request: PredictionRequest) -> Prediction {
        if options.contains(.resetCmabCache) { predictionCache = [:] }
        if options.contains(.invalidateUserCmabCache) { predictionCache[request.cacheKey] = nil }
        let ignoresCache = options.contains(.ignoreCmabCache)
        if !ignoresCache, let cached = predictionCache[request.cacheKey], cached.hash == request.attributesHash {
            return cached.prediction
        }
        let attributes = request.attributes.map { ($0.id, JSONValue.string($0.value.description)) }
        predictionCalls.append(
            .object([
                "userId": .string(request.userID), "ruleId": .string(request.ruleID),
                "attributes": .object(Dictionary(attributes) { $1 }),
            ]))
        guard let id = input["cmabVariationId"]?.text else { return .failed }
        let prediction = Prediction.variation(id: id, uuid: "<UUID>")
        if !ignoresCache { predictionCache[request.cacheKey] = (request.attributesHash, prediction) }
        return prediction
    }

    // MARK: Profiles

    private mutating func loadProfile() -> UserProfile {
        lookups += 1
        return profiles[userID].map { UserProfile($0) } ?? UserProfile()
    }

    private mutating func save(_ assignments: [String: String], over profile: UserProfile) {
        guard !assignments.isEmpty else { return }
        // Entries that are not written are kept, unless the map is malformed: then it is replaced.
        var map = profile.assignments.isEmpty ? [:] : profiles[userID]?["experiment_bucket_map"]?.members ?? [:]
        for (experiment, variation) in assignments { map[experiment] = .object(["variation_id": .string(variation)]) }
        let saved = (profiles[userID]?.members ?? [:])
            .merging(["user_id": .string(userID), "experiment_bucket_map": .object(map)]) { $1 }
        profiles[userID] = .object(saved)
        saves.append(.object(saved))
    }

    private mutating func save(_ decision: Decision, over profile: UserProfile) {
        guard let assignment = decision.assignment else { return }
        save([assignment.experimentID: assignment.variationID], over: profile)
    }

    // MARK: Older calls

    private static let notReady = "Optimizely SDK not configured properly yet."

    private mutating func experiment(_ key: String, activates: Bool) throws(SpecificationFailure) -> JSONValue {
        guard let project else { throw SpecificationFailure(text: Self.notReady) }
        guard let experiment = project.experiment(key) else {
            throw SpecificationFailure(
                text: "Experiment key (\(key)) is not in datafile. It is either invalid, paused, or archived.")
        }
        let profile = loadProfile()
        let decision = project.decideExperiment(key, for: user, profile: profile)
        if let decision { save(decision, over: profile) }
        let variationKey = JSONValue(decision?.variationKey)
        notify(
            project.isFeatureExperiment(experiment) ? "feature-test" : "ab-test",
            .object(["experimentKey": .string(key), "variationKey": variationKey]))
        guard variationKey != .null else {
            throw SpecificationFailure(
                text: "User (\(userID)) does not meet conditions to be in experiment/feature (\(key)).")
        }
        if activates, let impression = decision?.activation { impressions.append(.impression(impression)) }
        return variationKey
    }

    private mutating func isFeatureEnabled(_ key: String) -> Bool {
        guard let project, project.flag(key) != nil else { return false }
        let decision = feature(key, project)
        if let impression = decision.impression { impressions.append(.impression(impression)) }
        notify("feature", .object(featureInfo(decision)))
        return decision.isEnabled
    }

    private mutating func feature(_ key: String, _ project: Project) -> Decision {
        let profile = loadProfile()
        let decision = project.decideFeature(key, for: user, profile: profile)
        save(decision, over: profile)
        return decision
    }

    private func featureInfo(_ decision: Decision) -> [String: JSONValue] {
        var source: [String: JSONValue] = [:]
        if let rule = decision.ruleKey, let variation = decision.variationKey {
            source = ["experimentKey": .string(rule), "variationKey": .string(variation)]
        }
        return [
            "featureKey": .string(decision.flagKey), "featureEnabled": .bool(decision.isEnabled),
            "source": .string(decision.source.rawValue), "sourceInfo": .object(source),
        ]
    }

    // MARK: Variables

    private mutating func variable(_ type: Variable.ValueType) throws(SpecificationFailure) -> JSONValue {
        let (key, flagKey) = (input["variableKey"]?.text ?? "", input["key"]?.text ?? "")
        let (project, flag) = try flag(flagKey)
        guard let variable = flag.variables.last(where: { $0.key == key }) else {
            throw SpecificationFailure(
                text: "Variable with key (\(key)) associated with feature with key (\(flagKey)) is not in datafile.")
        }
        let decision = feature(flagKey, project)
        let overrides = decision.isEnabled ? decision.variation?.overrides ?? [] : []
        let text = overrides.first { $0.variableID == variable.id }?.value ?? variable.defaultValue
        guard let value = VariableValue(text, type: type), type == variable.type else {
            throw SpecificationFailure(text: Reason.invalidVariable(variable: key).description)
        }
        let json = value.jsonValue ?? .null
        notify(
            "feature-variable",
            .object(
                featureInfo(decision).merging([
                    "variableKey": .string(key), "variableType": .string(variable.typeName), "variableValue": json,
                ]) { $1 }))
        return json
    }

    private mutating func allVariables(_ key: String) throws(SpecificationFailure) -> JSONValue {
        let (project, _) = try flag(key)
        let decision = feature(key, project)
        guard !decision.reasons.contains(.invalidVariables) else {
            throw SpecificationFailure(text: Reason.invalidVariables.description)
        }
        let values = JSONValue.variables(decision.variables)
        notify("all-feature-variables", .object(featureInfo(decision).merging(["variableValues": values]) { $1 }))
        return values
    }

    private func flag(_ key: String) throws(SpecificationFailure) -> (Project, Flag) {
        guard let project else { throw SpecificationFailure(text: Self.notReady) }
        guard let flag = project.flag(key) else {
            throw SpecificationFailure(text: Reason.flagNotFound(flag: key).description)
        }
        return (project, flag)
    }
}
