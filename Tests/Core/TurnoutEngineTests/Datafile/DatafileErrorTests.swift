/// An invalid datafile is refused as a whole, and the error names the place.
@Suite struct DatafileErrorTests {
    @Test(arguments: required) func requiredMembersMustBeThere(path: String) throws {
        let document = try ExampleShop.document()
        try #require(document.value(at: path) != nil, "the example has no \(path)")
        let missing = try Self.error(document.replacing(path, with: nil))
        let steps = path.split(separator: ".")
        #expect(missing.pathText == Self.pathText(steps.dropLast().joined(separator: ".")))
        #expect(missing.message.contains("\"\(steps.last ?? "")\" is missing"))
        #expect(try Self.error(document.replacing(path, with: .null)).pathText == Self.pathText(path))
        #expect(try Self.error(document.replacing(path, with: Self.wrong(path))).pathText == Self.pathText(path))
    }

    @Test(arguments: optional) func optionalMembersMayBeMissingOrNullButNotWrong(path: String) throws {
        let document = try ExampleShop.document()
        let whole = document.replacing(path, with: document.value(at: path) ?? .null)
        for value in [nil, JSONValue.null] {
            #expect(throws: Never.self) { try Project(datafile: whole.replacing(path, with: value).bytes) }
        }
        #expect(try Self.error(whole.replacing(path, with: .integer(5))).pathText == Self.pathText(path))
    }

    @Test(arguments: [
        // Values outside the enumeration.
        ("experiments.0.status", #""BOGUS""#, "$.experiments[0].status"),
        ("experiments.0.status", #""running""#, "$.experiments[0].status"),
        ("experiments.0.status", #""Draft""#, "$.experiments[0].status"),
        ("holdouts.0.status", #""Paused""#, "$.holdouts[0].status"),
        ("groups.0.policy", #""Random""#, "$.groups[0].policy"), ("region", #""XX""#, "$.region"),
        ("region", #""us""#, "$.region"),
        // Elements of lists.
        ("experiments.0.audienceIds.0", "5", "$.experiments[0].audienceIds[0]"),
        ("featureFlags.0.experimentIds.0", "null", "$.featureFlags[0].experimentIds[0]"),
        ("events.0.experimentIds.0", "{}", "$.events[0].experimentIds[0]"),
        ("localHoldouts.0.includedRules.0", "5", "$.localHoldouts[0].includedRules[0]"),
        ("experiments.1.cmab.attributeIds.2", "5", "$.experiments[1].cmab.attributeIds[2]"),
        ("experiments.0.variations.1", "[]", "$.experiments[0].variations[1]"),
        ("rollouts.2.experiments.1", "5", "$.rollouts[2].experiments[1]"),
        ("experiments.0.forcedVariations.vera", "5", "$.experiments[0].forcedVariations.vera"),
        // Numbers.
        ("experiments.0.trafficAllocation.2.endOfRange", "5000.5", "$.experiments[0].trafficAllocation[2].endOfRange"),
        ("experiments.0.trafficAllocation.2.endOfRange", "true", "$.experiments[0].trafficAllocation[2].endOfRange"),
        ("experiments.1.cmab.trafficAllocation", "0.1", "$.experiments[1].cmab.trafficAllocation"),
        ("anonymizeIP", "1", "$.anonymizeIP"), ("version", "4", "$.version"),
        // Conditions.
        ("typedAudiences.0.conditions", "5", "$.typedAudiences[0].conditions"),
        ("typedAudiences.0.conditions.1", "null", "$.typedAudiences[0].conditions[1]"),
        ("typedAudiences.5.conditions.2.1.name", "5", "$.typedAudiences[5].conditions[2][1].name"),
        ("typedAudiences.5.conditions.2.1.type", "[]", "$.typedAudiences[5].conditions[2][1].type"),
        ("typedAudiences.5.conditions.2.1.match", "true", "$.typedAudiences[5].conditions[2][1].match"),
        ("experiments.0.audienceConditions.2.1", "true", "$.experiments[0].audienceConditions[2][1]"),
        ("holdouts.0.audienceConditions", "5", "$.holdouts[0].audienceConditions"),
        ("audiences.0.conditions", #""""#, "$.audiences[0].conditions"),
        ("audiences.0.conditions", #""no JSON""#, "$.audiences[0].conditions"),
        ("audiences.0.conditions", #""[\"or\", 5]""#, "$.audiences[0].conditions"),
        ("audiences.0.conditions", #""[\"or\"] 1""#, "$.audiences[0].conditions"),
        ("audiences.0.conditions", #""\"[]\" x""#, "$.audiences[0].conditions"),
    ])
    func wrongValuesAreRefusedAtTheirPath(path: String, json: String, expected: String) throws {
        let error = try Self.error(ExampleShop.document().replacing(path, with: JSONValue(parsing: json)))
        #expect(error.pathText == expected, "\(error)")
    }

    /// The bytes between values are predicted from earlier objects, which start differently here.
    @Test(arguments: [
        (#""id":"7","key":"a""#, #""unknown":1"id":"8","key":"b""#),
        (#""unknown":1,"id":"7","key":"a""#, #","id":"8","key":"b""#),
        (#""unknown":1,"id":"7","key":"a""#, #""id":"8","unknown":1"key":"b""#),
        (#""id":"7","unknown":1,"key":"a""#, #""id":"8""key":"b""#),
        (#""id":"7","key":"a""#, #""id":"8",,"key":"b""#),
        (#""id":"7","key":"a""#, #""id":"8","key""b""#),
        (#""id":"7","key":"a""#, #""id":"8","key":,"b""#),
    ])
    func separatorsAreRequiredInEveryObject(first: String, second: String) throws {
        func datafile(_ attributes: String) throws -> [UInt8] {
            let document = try ExampleShop.document().replacing("attributes", with: .string("attributes"))
            let text = String(decoding: document.bytes, as: UTF8.self)
            return Array(text.replacing(#""attributes":"attributes""#, with: #""attributes":[\#(attributes)]"#).utf8)
        }
        let correct = #"{"id":"9","key":"c"}"#
        #expect(throws: Never.self) { try Project(datafile: datafile("{\(first)},{\(first)},\(correct)")) }
        let error = try #require(throws: DatafileError.self) {
            try Project(datafile: datafile("{\(first)},{\(second)},\(correct)"))
        }
        #expect("\(error)".contains("attributes[1]"), "\(error)")
    }

    @Test func errorsInsideTheTextOfConditionsSayWhere() throws {
        let text = JSONValue.string(#"["or", {"name": 5}]"#)
        let error = try Self.error(ExampleShop.document().replacing("audiences.0.conditions", with: text))
        #expect(error.message.contains("$[1].name: "), "\(error)")
        #expect(error.message.contains("line 1, column 17"), "\(error)")
    }

    @Test func linesAndColumnsAreThoseOfTheFile() throws {
        let text = String(decoding: ExampleShop.datafile, as: UTF8.self)
        let damaged = try #require(text.firstRange(of: #""endOfRange": 4000"#)).lowerBound
        let line = text[..<damaged].count { $0 == "\n" } + 1
        let wrong = text.replacing(#""endOfRange": 4000"#, with: #""endOfRange": "x""#)
        let error = try #require(throws: DatafileError.self) { try Project(datafile: Array(wrong.utf8)) }
        #expect(error.description.contains("(line \(line), column "))
        #expect(error.description.hasPrefix("$.experiments[0].trafficAllocation[0].endOfRange: "))
        #expect(error.compatibleText == "Provided datafile is in an invalid format.")
    }

    @Test(arguments: ["", "[]", "null", "5", "\"\"", "{}", "[{}]"])
    func incompleteDatafilesAreRefused(text: String) throws {
        let error = try #require(throws: DatafileError.self) { try Project(datafile: Array(text.utf8)) }
        #expect(error.compatibleText == "Provided datafile is in an invalid format.")
    }

    // MARK: Helpers

    private static func error(_ document: JSONValue) throws -> JSONError {
        let error = try #require(throws: DatafileError.self) { try Project(datafile: document.bytes) }
        guard case .invalid(let place) = error else { throw error }
        return place
    }

    private static func wrong(_ path: String) -> JSONValue {
        path.hasSuffix("endOfRange") || path.hasSuffix("cmab.trafficAllocation") ? .string("5") : .integer(5)
    }

    /// A path such as `experiments.0.id` in the notation of errors.
    private static func pathText(_ path: String) -> String {
        path.split(separator: ".").reduce(into: "$") { text, step in
            text += Int(step) == nil ? ".\(step)" : "[\(step)]"
        }
    }
}

// MARK: Tables

private func members(of entity: String, _ names: String) -> [String] {
    names.split(separator: " ").map { entity.isEmpty ? String($0) : "\(entity).\($0)" }
}

private let experimentMembers = "id key layerId status variations trafficAllocation audienceIds forcedVariations"
private let holdoutMembers = "id key status variations trafficAllocation audienceIds"

private let required: [String] =
    members(
        of: "",
        "version projectId accountId revision experiments groups rollouts featureFlags audiences attributes events "
            + "anonymizeIP")
    + members(of: "experiments.0", experimentMembers)
    + members(of: "groups.0.experiments.1", experimentMembers)
    + members(of: "rollouts.2.experiments.1", experimentMembers)
    + members(of: "experiments.1.cmab", "trafficAllocation attributeIds")
    + members(of: "experiments.0.variations.1", "id key")
    + members(of: "experiments.0.variations.1.variables.0", "id value")
    + members(of: "experiments.0.trafficAllocation.2", "entityId endOfRange")
    + members(of: "groups.0", "id policy trafficAllocation experiments")
    + members(of: "groups.0.trafficAllocation.1", "entityId endOfRange") + members(of: "rollouts.2", "id experiments")
    + members(of: "featureFlags.3", "id key experimentIds rolloutId variables")
    + members(of: "featureFlags.3.variables.1", "id key type") + members(of: "audiences.0", "id name conditions")
    + members(of: "typedAudiences.4", "id name conditions") + members(of: "attributes.6", "id key")
    + members(of: "events.1", "id key experimentIds") + members(of: "integrations.0", "key")
    + members(of: "holdouts.0", holdoutMembers) + members(of: "holdouts.0.variations.0", "id key")
    + members(of: "localHoldouts.0", holdoutMembers)
    + members(of: "localHoldouts.0.trafficAllocation.0", "entityId endOfRange")

private let optional: [String] =
    members(
        of: "",
        "typedAudiences botFiltering sendFlagDecisions integrations holdouts localHoldouts region sdkKey environmentKey"
    )
    + members(of: "experiments.0", "audienceConditions cmab")
    + members(of: "experiments.0.variations.1", "featureEnabled variables")
    + members(of: "featureFlags.5.variables.2", "subType defaultValue")
    + members(of: "integrations.0", "host publicKey") + members(of: "holdouts.0", "audienceConditions")
    + members(of: "localHoldouts.0", "audienceConditions includedRules")
    + members(of: "typedAudiences.0.conditions.1", "name type match")
