import TurnoutEngine

/// How the cases of each group are run.
enum SpecificationGroup {
    /// What is wrong with a case, or nil: it passed.
    static func failure(of example: JSONValue, in group: String) -> String? {
        switch group {
        case "bucketing": bucketing(example)
        case "leafMatrix", "leafAndTreeExtra", "leafExtra2": conditions(example)
        case "semver": version(example)
        case "datafileValidity": validity(example)
        case "variables": variables(example)
        case "cmabCache": predictionCache(example)
        // In this group only results were measured; elsewhere what is not listed did not happen.
        case "audienceConditions": flow(example, onlyResult: true)
        case "decideFlow", "holdoutRolloutCmab", "batchAndUps", "legacyApi": flow(example, onlyResult: false)
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
        do throws(DatafileError) {
            _ = try Project(datafile: datafile.bytes)
            found = "ok"
        } catch { found = error.compatibleText }
        return compare("result", .string(found), example["expected"] ?? .null)
    }

    // MARK: Conditions

    /// Runs conditions as the audience of the only experiment of a flag.
    private static func conditions(_ example: JSONValue) -> String? {
        let expected = example["expected"] ?? .null
        guard let project = try? Project(datafile: .flag(guardedBy: example["conditions"]?.text ?? "")) else {
            return compare("result", .string("decode-error"), expected)
        }
        let decision = project.decide("flag", for: User("u", of: example), options: .includeReasons)
        var unknown: String?
        for case .audienceUnknown(let audience) in decision.reasons { unknown = audience.text }
        let found: JSONValue = unknown == nil ? .bool(decision.isEnabled) : .string("unknown")
        return compare("result", found, expected)
            ?? example["reason"].flatMap { compare("reason", JSONValue(unknown), $0) }
    }

    /// Versions are compared by way of conditions: less, equal or greater.
    private static func version(_ example: JSONValue) -> String? {
        func isMet(_ match: String) -> Bool {
            var writer = JSONWriter()
            writer.value(
                .object([
                    "name": .string("v"), "type": .string("custom_attribute"), "match": .string(match),
                    "value": example["target"] ?? .null,
                ]))
            guard let project = try? Project(datafile: .flag(guardedBy: writer.text)) else { return false }
            let user = User("u", attributes: ["v": .string(example["user"]?.text ?? "")])
            return project.decide("flag", for: user).isEnabled
        }
        let answers = (isMet("semver_lt"), isMet("semver_eq"), isMet("semver_gt"))
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

    private static func variables(_ example: JSONValue) -> String? {
        let definition = example["variable"] ?? .null
        let key = definition["key"]?.text ?? ""
        guard let project = try? Project(datafile: .flag(with: definition)) else { return "the datafile is refused" }
        let decision = project.decide("flag", for: User("u"))
        let values = JSONValue.variables(decision.variables)
        return compare("presence", .bool(values[key] != nil), example["present"] ?? .null)
            ?? compare("value", values[key] ?? .null, example["decideValue"] ?? .null)
            ?? compare(
                "reasons", .array(decision.reasons.map { .string($0.description) }), example["decideReasons"] ?? .null)
            ?? getter(example["typedGetter"] ?? .null, definition, key)
            ?? run("allVars", "getAllFeatureVariables", example["getAllFeatureVariables"], definition, key)
    }

    private static func getter(_ expected: JSONValue, _ definition: JSONValue, _ key: String) -> String? {
        guard let operation = expected["api"]?.text else { return nil }
        return run(operation, operation, expected["value"] ?? expected["error"], definition, key)
    }

    private static func run(
        _ operation: String, _ what: String, _ expected: JSONValue?, _ definition: JSONValue, _ key: String
    ) -> String? {
        guard let datafile = try? JSONValue(parsing: .flag(with: definition)), let expected else { return nil }
        let input = JSONValue.object([
            "op": .string(operation), "key": .string("flag"), "variableKey": .string(key), "datafile": datafile,
        ])
        guard var client = try? SpecificationClient(input) else { return "the datafile is refused" }
        do throws(SpecificationClient.Failure) {
            let found = try client.run()
            // A double that JSON cannot hold is written as its name in a case.
            return found == .null && expected.text != nil ? nil : compare(what, found, expected)
        } catch {
            return compare(what, .string(error.text), expected["error"] ?? expected)
        }
    }

    // MARK: Whole decisions

    private static func flow(_ example: JSONValue, onlyResult: Bool) -> String? {
        let (input, expected) = (example["input"] ?? .null, example["expected"] ?? .null)
        guard var client = try? SpecificationClient(input) else {
            return expected["startError"] != nil ? nil : "the datafile is refused"
        }
        var result: JSONValue?
        var error: String?
        for _ in 0..<(input["repeat"]?.integer ?? 1) {
            do throws(SpecificationClient.Failure) { result = try client.run() } catch let failure {
                error = failure.text
            }
        }
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
