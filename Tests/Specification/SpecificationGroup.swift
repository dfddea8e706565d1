/// Runs the cases of each group, with the engine alone or through an interface.
enum SpecificationGroup<Runner: SpecificationRunner> {
    /// The failure of a case, or nil if it passes.
    static func failure(of example: JSONValue, in group: String) async -> String? {
        switch group {
        case "bucketing": bucketing(example)
        case "leafMatrix", "leafAndTreeExtra", "leafExtra2": await conditions(example)
        case "semver": await version(example)
        case "datafileValidity": validity(example)
        case "variables": await variables(example)
        case "cmabCache": predictionCache(example)
        // In this group only results were measured; in the others, events that are not listed must not occur.
        case "audienceConditions": await flow(example, onlyResult: true)
        case "decideFlow", "holdoutRolloutCmab", "batchAndUps", "legacyApi": await flow(example, onlyResult: false)
        default: "unknown group"
        }
    }

    private static func compare(_ what: String, _ found: JSONValue, _ expected: JSONValue) -> String? {
        guard !found.isSame(as: expected) else { return nil }
        var (left, right) = (JSONWriter(), JSONWriter())
        left.value(found)
        right.value(expected)
        return "\(what) is \(left.text), expected \(right.text)"
    }

    // MARK: Small groups

    private static func bucketing(_ example: JSONValue) -> String? {
        let bucketing = Bucketing(bucketingID: example["bucketingId"]?.text ?? "")
        let entity = example["entityId"]?.text ?? ""
        return compare("hash", .integer(Int64(bucketing.hash(entityID: entity))), example["hash"] ?? .null)
            ?? compare("bucket", .integer(Int64(bucketing.bucket(entityID: entity))), example["bucket"] ?? .null)
    }

    private static func predictionCache(_ example: JSONValue) -> String? {
        let attributes = (example["attributes"]?.members ?? [:]).map { ($0.key, AttributeValue(tagged: $0.value)) }
        let request = PredictionRequest(
            userID: example["userId"]?.text ?? "", ruleID: example["ruleId"]?.text ?? "", attributes: attributes)
        let found = example["op"]?.text == "cacheKey" ? request.cacheKey : request.attributesHash
        return compare("result", .string(found), example["expected"] ?? .null)
    }

    private static func validity(_ example: JSONValue) -> String? {
        let path = (example["path"]?.text ?? "").split(separator: ".").map(String.init)
        let datafile = (example["base"] ?? .null).mutated(at: path[...], example["mutation"]?.text ?? "")
        let found: String
        do throws(SpecificationFailure) {
            _ = try Runner(.object([:]), datafile: datafile.bytes)
            found = "ok"
        } catch { found = error.text }
        return compare("result", .string(found), example["expected"] ?? .null)
    }

    /// The decision on the only flag of a datafile for a user, or nil if the datafile is refused.
    private static func decide(
        _ datafile: [UInt8], attributes: JSONValue?, segments: JSONValue? = nil
    ) async -> JSONValue? {
        let input = JSONValue.object([
            "op": .string("decide"), "key": .string("flag"), "attributes": attributes ?? .object([:]),
            "segments": segments ?? .array([]), "options": .array([.string("includeReasons")]),
        ])
        guard var client = try? Runner(input, datafile: datafile) else { return nil }
        return try? await client.run()
    }

    // MARK: Conditions

    /// Evaluates conditions as the audience of a flag's only experiment.
    private static func conditions(_ example: JSONValue) async -> String? {
        let expected = example["turnout"] ?? example["expected"] ?? .null
        let datafile = [UInt8].flag(guardedBy: example["conditions"]?.text ?? "")
        guard let decision = await decide(datafile, attributes: example["attributes"], segments: example["segments"])
        else { return compare("result", .string("decode-error"), expected) }
        let unknown = decision["reasons"]?.texts.last { !$0.hasPrefix("User (u)") && !$0.hasPrefix("There is no") }
        let found: JSONValue = unknown == nil ? decision["enabled"] ?? .null : .string("unknown")
        return compare("result", found, expected)
            ?? example["reason"].flatMap { compare("reason", JSONValue(unknown), $0) }
    }

    /// Compares versions with conditions: less, equal or greater.
    private static func version(_ example: JSONValue) async -> String? {
        func isMet(_ match: String) async -> Bool {
            let condition = JSONValue.object([
                "name": .string("v"), "type": .string("custom_attribute"), "match": .string(match),
                "value": example["target"] ?? .null,
            ])
            let attributes = JSONValue.object(["v": .array([.string("s"), example["user"] ?? .null])])
            return await decide(.flag(guardedBy: condition.json), attributes: attributes)?["enabled"] == .bool(true)
        }
        let answers = (await isMet("semver_lt"), await isMet("semver_eq"), await isMet("semver_gt"))
        let found: JSONValue =
            switch answers {
            case (true, false, false): .integer(-1)
            case (false, true, false): .integer(0)
            case (false, false, true): .integer(1)
            default: .string("invalid")
            }
        return compare("result", found, example["expected"] ?? .null)
    }

    // MARK: Variables

    private static func variables(_ example: JSONValue) async -> String? {
        let definition = example["variable"] ?? .null
        let key = definition["key"]?.text ?? ""
        guard let decision = await run("decide", definition, key) else { return "the datafile is refused" }
        let value = decision["variables"]?[key]
        let difference =
            compare("presence", .bool(value != nil), example["present"] ?? .null)
            ?? compare("value", value ?? .null, example["decideValue"] ?? .null)
            ?? compare("reasons", decision["reasons"] ?? .null, example["decideReasons"] ?? .null)
        if let difference { return difference }
        if let getter = example["typedGetter"], let operation = getter["api"]?.text {
            let found = await run(operation, definition, key)
            if let difference = compare(value: operation, found, getter["value"] ?? getter["error"]) {
                return difference
            }
        }
        return compare(value: "all variables", await run("allVars", definition, key), example["getAllFeatureVariables"])
    }

    /// A double that JSON does not support is a string in a case.
    private static func compare(value what: String, _ found: JSONValue?, _ expected: JSONValue?) -> String? {
        guard let found, let expected, found != .null || expected.text == nil else { return nil }
        return compare(what, found, expected["error"] ?? expected)
    }

    /// The result of a call in a project with one variable, or the text of its error; nil if the datafile is refused.
    private static func run(_ operation: String, _ definition: JSONValue, _ key: String) async -> JSONValue? {
        let input = JSONValue.object(["op": .string(operation), "key": .string("flag"), "variableKey": .string(key)])
        guard var client = try? Runner(input, datafile: .flag(with: definition)) else { return nil }
        do throws(SpecificationFailure) { return try await client.run() } catch { return .string(error.text) }
    }

    // MARK: Whole decisions

    private static func flow(_ example: JSONValue, onlyResult: Bool) async -> String? {
        let (input, expected) = (example["input"] ?? .null, example["expected"] ?? .null)
        guard var client = try? Runner(input, datafile: input["datafile"]?.bytes) else {
            return expected["startError"] != nil ? nil : "the datafile is refused"
        }
        var result: JSONValue?
        var error: String?
        for _ in 0..<(input["repeat"]?.integer ?? 1) {
            do throws(SpecificationFailure) { result = try await client.run() } catch let failure {
                error = failure.text
            }
        }
        client.finish()
        let difference =
            compare("error", JSONValue(error), expected["error"] ?? .null)
            ?? (error == nil ? compare("result", result ?? .null, expected["result"] ?? .null) : nil)
        guard !onlyResult else { return difference }
        return difference
            ?? compare("impressions", .array(client.impressions), expected["impressionDecisions"] ?? .array([]))
            ?? compare("notifications", .array(client.notifications), expected["notifications"] ?? .array([]))
            ?? compare("saves", .array(client.saves), expected["upsSaves"] ?? .array([]))
            ?? compare("lookups", .integer(Int64(client.lookups)), expected["upsLookups"] ?? .integer(0))
            ?? compare("predictions", .array(client.predictionCalls), expected["cmabCalls"] ?? .array([]))
            ?? compare(
                "forced variations", .array(client.forcedVariationResults),
                expected["setForcedVariation"] ?? .array([]))
    }
}
