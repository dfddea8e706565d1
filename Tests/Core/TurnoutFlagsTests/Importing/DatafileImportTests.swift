import Foundation

@Suite("What a datafile is imported to compiles to a datafile that decides alike")
struct DatafileImportTests {
    @Test func exampleShopIsSpelledCompletely() throws {
        let shop = try TestDatafile.shop
        let imported = try DatafileImport(shop.bytes)
        #expect(imported.project.carriedParts.flatMap(\.uncheckedMembers) == [])
        #expect(imported.project.flags.count == 7)
        #expect(imported.project.environments.map(\.key) == ["demo"])
        try expectSameDecisions(shop, users: rounds(100, thorough: 1_000))
    }

    @Test func allDatafilesOfTheSpecificationDecideAlike() throws {
        let datafiles = try TestDatafile.ofSpecification()
        #expect(datafiles.count > 20)
        for datafile in datafiles { try expectSameDecisions(datafile, users: rounds(4, thorough: 50)) }
    }

    /// Removes, repeats and replaces parts at random. Nothing may change, however little of it makes sense.
    @Test func damagedDatafilesDecideAlike() throws {
        var random = SplitMix(state: 7)
        let datafiles = try TestDatafile.ofSpecification().filter { $0.bytes.count < 60_000 } + [TestDatafile.shop]
        var usable = 0
        for round in 0..<rounds(20, thorough: 200) {
            let base = datafiles[Int(random.next() % UInt64(datafiles.count))]
            var value = try JSONValue(parsing: base.bytes)
            for _ in 0...(random.next() % 3) { value.damage(&random) }
            let damaged = TestDatafile(name: "\(base.name), round \(round)", bytes: value.bytes)
            guard (try? Project(datafile: damaged.bytes)) != nil else { continue }
            usable += 1
            try expectSameDecisions(damaged, users: rounds(5, thorough: 30))
        }
        #expect(usable > rounds(4, thorough: 50))
    }

    /// A lock holds revisions up to 2^53.
    @Test(arguments: ["9223372036854775807", "9007199254740992", "-3", "99999999999999999999", "r7"])
    func unusualRevisionsAreImported(revision: String) throws {
        guard case .object(var members) = try JSONValue(parsing: TestDatafile.shop.bytes) else { return }
        members["revision"] = .string(revision)
        let imported = try DatafileImport(JSONValue.object(members).bytes)
        let compiled = ProjectCompiler(imported.project, lock: try LockFile(text: imported.lock.text)).compile()
        #expect(compiled.datafiles.map(\.revision).allSatisfy { (1...1 << 53).contains($0) })
        #expect(try LockFile(text: compiled.lock.text) == compiled.lock)
        #expect(!imported.notes.contains { $0.message.contains("as a whole") })
    }

    @Test func datafileThatTheEngineRejectsIsNotImported() {
        #expect(throws: DatafileError.self) { try DatafileImport(Array("{}".utf8)) }
    }

    // MARK: Members without a spelling

    /// A datafile with a flag `f`, its experiment, and its rollout.
    private func datafile(experiment: String = "", rule: String = "") -> TestDatafile {
        let variations = #"[{"id": "71", "key": "on", "featureEnabled": true, "variables": []}]"#
        let rest = #""audienceIds": [], "forcedVariations": {}, "variations": \#(variations)"#
        let text = """
            {"version": "4", "projectId": "1", "accountId": "2", "revision": "3", "groups": [], "anonymizeIP": true,
             "audiences": [], "attributes": [{"id": "61", "key": "plan"}, {"id": "62", "key": "age"}], "events": [],
             "experiments": [{"id": "17", "key": "e", "layerId": "18", "status": "Running", \(experiment), \(rest)}],
             "rollouts": [{"id": "19", "experiments": [
               {"id": "20", "key": "d", "layerId": "21", "trafficAllocation": [{"entityId": "71", "endOfRange": 400}],
                \(rule), \(rest)},
               {"id": "22", "key": "22", "layerId": "23", "status": "Running",
                "trafficAllocation": [{"entityId": "71", "endOfRange": 10000}], \(rest)}]}],
             "featureFlags": [
               {"id": "5", "key": "f", "experimentIds": ["17"], "rolloutId": "19", "variables": []}]}
            """
        return TestDatafile(name: "members", bytes: Array(text.utf8))
    }

    private let split = #""trafficAllocation": [{"entityId": "71", "endOfRange": 5000}]"#

    @Test(arguments: [#""status": "Not started""#, #""status": "Running", "type": "td""#])
    func statusAndTypeOfARolloutRuleAreKept(members: String) throws {
        let original = datafile(experiment: split, rule: members)
        let imported = try DatafileImport(original.bytes)
        let kept = members.contains("td") ? "type" : "status"
        let reason = "a rule of this kind has no such word in the project file"
        #expect(
            imported.notes.map(\.message) == [
                "delivery d of flag f: \(kept) kept as in the datafile, because \(reason)"
            ])
        #expect(imported.notes[0].position?.line == 6)
        #expect(imported.project.carriedParts.flatMap(\.uncheckedMembers) == [])
        let compiled = ProjectCompiler(imported.project, lock: imported.lock).compile()
        let text = String(decoding: try #require(compiled.datafiles.first).bytes, as: UTF8.self)
        #expect(text.contains(members.contains("td") ? #""type":"td""# : #""status":"Not started""#))
        try expectSameDecisions(original, users: 50)
    }

    /// The attributes of a prediction keep no order, and the ranges are those of older clients.
    @Test func banditsKeepTheirRanges() throws {
        let bandit = #"\#(split), "type": "cmab", "cmab": {"attributeIds": ["62", "61"], "trafficAllocation": 4000}"#
        let original = datafile(experiment: bandit, rule: #""status": "Running""#)
        let imported = try DatafileImport(original.bytes)
        #expect(imported.notes.map(\.message) == [])
        let path = EntityPath(.rule, "production", "f", "e")
        #expect(imported.lock.allocations[path]?.ranges == [.init("on", end: 5_000)])
        let compiled = ProjectCompiler(imported.project, lock: imported.lock).compile()
        #expect(compiled.lock.allocations[path] == imported.lock.allocations[path])
        let rule = try Project(datafile: try #require(compiled.datafiles.first).bytes).experiment("e")
        #expect(rule?.contextualBanditTraffic == 4_000)
        try expectSameDecisions(original, users: 50)
        // As an experiment, it starts from the same ranges.
        var project = imported.project
        project.flags[0].rules.experiments[0].kind = .split(type: .abTest)
        project.flags[0].rules.experiments[0].traffic = TrafficShare(buckets: 5_000)
        let experiment = ProjectCompiler(project, lock: compiled.lock).compile()
        #expect(experiment.lock.allocations[path] == imported.lock.allocations[path])
    }

    // MARK: Details of exports

    /// The datafile with parts of its text replaced. Each of these details made the import keep the whole datafile.
    private func edited(_ edits: (String, String)...) throws -> TestDatafile {
        let base = datafile(experiment: split, rule: #""status": "Running""#)
        var text = String(decoding: base.bytes, as: UTF8.self)
        for (part, replacement) in edits {
            #expect(text.contains(part))
            text = text.replacingOccurrences(of: part, with: replacement)
        }
        return TestDatafile(name: "\(edits)", bytes: Array(text.utf8))
    }

    private func audience(id: String = "81", attribute: String) -> String {
        let leaf = #"{"match": "exact", "name": "\#(attribute)", "type": "custom_attribute", "value": "pro"}"#
        return #"{"id": "\#(id)", "name": "Paying \#(id)", "conditions": ["or", \#(leaf)]}"#
    }

    @Test func attributesThatOnlyConditionsNameAreAdded() throws {
        let original = try edited((#""audiences": []"#, #""audiences": [\#(audience(attribute: "tier"))]"#))
        let imported = try DatafileImport(original.bytes)
        #expect(imported.project.attributes.map(\.key) == ["plan", "age", "tier"])
        #expect(imported.notes.map(\.code) == ["attribute-added"])
        #expect(imported.project.carriedParts == [])
        try expectSameDecisions(original, users: 50)
    }

    @Test func dummyAudienceIsLeftOutUnlessARuleNamesIt() throws {
        let dummy = audience(id: "$opt_dummy_audience", attribute: "$opt_dummy_attribute")
        let original = try edited((#""audiences": []"#, #""audiences": [\#(dummy)]"#))
        #expect(try DatafileImport(original.bytes).project.audiences == [])
        #expect(try DatafileImport(original.bytes).notes.map(\.code) == ["left-out"])
        try expectSameDecisions(original, users: 20)
        let named = try edited(
            (#""audiences": []"#, #""audiences": [\#(dummy)]"#),
            (#""audienceIds": []"#, #""audienceIds": ["$opt_dummy_audience"]"#))
        #expect(try DatafileImport(named.bytes).project.audiences.count == 1)
        try expectSameDecisions(named, users: 20)
    }

    private let twoVariables = (
        #""rolloutId": "19", "variables": []"#,
        #""rolloutId": "19", "variables": [{"id": "41", "key": "size", "type": "integer", "defaultValue": "3"},"#
            + #"{"id": "42", "key": "field", "type": "string", "defaultValue": "price"}]"#
    )

    @Test func variablesHaveNoOrder() throws {
        let values = [#"{"id": "41", "value": "4"}"#, #"{"id": "42", "value": "name"}"#]
        var original = try edited(
            twoVariables, ("\"variables\": []}]", "\"variables\": [\(values.joined(separator: ","))]}]"))
        let text = String(decoding: original.bytes, as: UTF8.self)
        // The experiment has them in another order than the rollout.
        let place = try #require(text.range(of: values.joined(separator: ",")))
        let reordered = text.replacingCharacters(in: place, with: values.reversed().joined(separator: ","))
        original = TestDatafile(name: "order", bytes: Array(reordered.utf8))
        let imported = try DatafileImport(original.bytes)
        #expect(imported.notes == [] && imported.project.flags[0].variations.map(\.key) == ["on"])
        try expectSameDecisions(original, users: 20)
    }

    /// The value is what everyone else gets, so the flag has it; the experiment has a variation of its own.
    @Test func variationsThatDifferBelongToTheirRules() throws {
        let other = #"{"id": "22", "key": "22", "layerId": "23", "status": "Running","#
        let original = try edited(
            (other, #"{"id": "22", "key": "22", "layerId": "23", "status": "Running", "more": 1,"#))
        let text = String(decoding: original.bytes, as: UTF8.self)
        let place = try #require(text.range(of: #""id": "71""#))
        let changed = text.replacingCharacters(in: place, with: #""id": "70""#)
            .replacingOccurrences(
                of: #"{"entityId": "71", "endOfRange": 5000}"#, with: #"{"entityId": "70", "endOfRange": 5000}"#)
        let imported = try DatafileImport(Array(changed.utf8))
        #expect(imported.project.flags[0].variations.map(\.key) == ["on"])
        #expect(imported.project.flags[0].rules.experiments[0].variations.map(\.key) == ["on"])
        #expect(imported.project.flags[0].rules.everyoneElse?.verbatim == ["more": .integer(1)])
        try expectSameDecisions(TestDatafile(name: "own", bytes: Array(changed.utf8)), users: 50)
    }

    @Test func valuesOfAnotherTypeAreCarriedWithTheirVariable() throws {
        let original = try edited(
            twoVariables, ("\"variables\": []}]", #""variables": [{"id": "41", "value": "1e400"}]}]"#))
        let imported = try DatafileImport(original.bytes)
        #expect(imported.project.carriedParts.map(\.name) == ["variable size of flag f"])
        #expect(imported.project.flags[0].variables.map(\.type) == [.string, .string])
        try expectSameDecisions(original, users: 20)
    }

    /// The vendor's test data has such ids, which no lock can hold.
    @Test func sharedIDsAreCarried() throws {
        let original = try edited((#""id": "62""#, #""id": "61""#))
        let imported = try DatafileImport(original.bytes)
        #expect(imported.project.carriedParts.map(\.name) == ["attribute age"])
        #expect(imported.project.carriedParts.flatMap(\.uncheckedMembers) == [])
        try expectSameDecisions(original, users: 20)
    }

    @Test func trafficOfZeroIsSpelled() throws {
        let zero = (
            #""trafficAllocation": [{"entityId": "71", "endOfRange": 400}]"#,
            #""trafficAllocation": [{"entityId": "71", "endOfRange": 0}]"#
        )
        let imported = try DatafileImport(try edited(zero).bytes)
        #expect(imported.notes == [] && imported.project.flags[0].rules.deliveries.map(\.traffic.buckets) == [0])
        try expectSameDecisions(try edited(zero), users: 20)
    }

    /// A holdout for rules that do not exist became one for all flags, and `"holdouts": null` took it back.
    @Test func idleHoldoutsAreLeftOut() throws {
        let holdout =
            #"{"id": "90", "key": "h", "status": "Running", "variations": [{"id": "91", "key": "off"}], "#
            + #""trafficAllocation": [{"entityId": "91", "endOfRange": 10000}], "audienceIds": [], "#
            + #""includedRules": ["99"]}"#
        let original = try edited((#""groups": []"#, #""groups": [], "localHoldouts": [\#(holdout)]"#))
        let imported = try DatafileImport(original.bytes)
        #expect(imported.project.holdouts == [] && imported.project.verbatim == [:])
        #expect(imported.notes.map(\.code) == ["left-out"])
        let compiled = ProjectCompiler(imported.project, lock: imported.lock).compile()
        #expect(compiled.datafiles.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("null") })
        try expectSameDecisions(original, users: 20)
    }

    /// The vendor's Python client cannot read a datafile with them.
    @Test func rulesThatDoNotExistAreLeftOut() throws {
        let original = try edited((#""experimentIds": ["17"]"#, #""experimentIds": ["16", "17"]"#))
        let imported = try DatafileImport(original.bytes)
        #expect(imported.notes.map(\.code) == ["left-out"] && imported.project.flags[0].verbatim == [:])
    }

    private func expectSameDecisions(
        _ datafile: TestDatafile, users: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let imported = try DatafileImport(datafile.bytes)
        let project = try AuthoredProject.read(json: ProjectWriter.node(of: imported.project).json)
        let compiled = ProjectCompiler(project, lock: imported.lock).compile()
        #expect(compiled.diagnostics.all.map(\.message) == [], "\(datafile.name)", sourceLocation: sourceLocation)
        let bytes = try #require(compiled.datafiles.first?.bytes, "\(datafile.name)", sourceLocation: sourceLocation)
        let (before, after) = (try Project(datafile: datafile.bytes), try Project(datafile: bytes))
        var random = SplitMix(state: 1)
        let values = try datafile.attributeValues()
        for number in 0..<users {
            let user = User.random(number, values, &random)
            let (expected, found) = (before.fingerprint(of: user), after.fingerprint(of: user))
            guard expected == found else {
                let difference = zip(expected, found).first { $0 != $1 }
                Issue.record(
                    "\(datafile.name): \(String(describing: difference)), notes \(imported.notes.map(\.message))",
                    sourceLocation: sourceLocation)
                return
            }
        }
    }
}

/// A datafile for tests of imports.
struct TestDatafile {
    let name: String
    let bytes: [UInt8]

    static var shop: TestDatafile {
        get throws {
            TestDatafile(
                name: "shop", bytes: [UInt8](try Data(contentsOf: root.appending(path: "Examples/Shop/datafile.json"))))
        }
    }

    /// The datafiles in the specification's cases that the engine accepts; also those in the folder
    /// `TURNOUT_DATAFILES`.
    static func ofSpecification() throws -> [TestDatafile] {
        let folder = root.appending(path: "Tests/Specification/Cases")
        var found: [TestDatafile] = []
        var seen: Set<[UInt8]> = []
        func add(_ bytes: [UInt8], _ name: String) {
            guard seen.insert(bytes).inserted, (try? Project(datafile: bytes)) != nil else { return }
            found.append(TestDatafile(name: name, bytes: bytes))
        }
        func collect(_ value: JSONValue, _ name: String) {
            switch value {
            case .object(let members):
                if members["version"] != nil, members["projectId"] != nil { add(value.bytes, name) }
                for (key, member) in members.sorted(by: { $0.key < $1.key }) { collect(member, "\(name).\(key)") }
            case .array(let elements):
                for (index, element) in elements.enumerated() { collect(element, "\(name)[\(index)]") }
            case .string(let text) where text.contains("\"projectId\""): add(Array(text.utf8), name)
            default: break
            }
        }
        for file in ["decision-vectors.json", "older-calls.json"] {
            collect(try JSONValue(parsing: [UInt8](try Data(contentsOf: folder.appending(path: file)))), file)
        }
        if let folder = ProcessInfo.processInfo.environment["TURNOUT_DATAFILES"],
            let files = FileManager.default.enumerator(atPath: folder)
        {
            for case let file as String in files where file.hasSuffix(".json") {
                add([UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))), file)
            }
        }
        return found
    }

    private static var root: URL {
        URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "../../../..").standardized
    }

    /// The names and values in conditions, from which random users are made.
    func attributeValues() throws -> [(name: String, value: JSONValue)] {
        var values: [(String, JSONValue)] = []
        func collect(_ value: JSONValue) {
            switch value {
            case .object(let members):
                if case .string(let name) = members["name"], let value = members["value"] {
                    values.append((name, value))
                }
                for (_, member) in members.sorted(by: { $0.key < $1.key }) { collect(member) }
            case .array(let elements): elements.forEach(collect)
            case .string(let text):
                if text.hasPrefix("["), let inner = try? JSONValue(parsing: text) { collect(inner) }
            default: break
            }
        }
        collect(try JSONValue(parsing: bytes))
        return values
    }
}

extension User {
    fileprivate static func random(
        _ number: Int, _ values: [(name: String, value: JSONValue)], _ random: inout SplitMix
    ) -> User {
        var attributes = Attributes()
        var segments: Set<String> = []
        for _ in 0..<(random.next() % 4) {
            guard let pick = values.randomElement(using: &random) else { break }
            if case .string(let segment) = pick.value, pick.name == "odp.audiences" { segments.insert(segment) }
            attributes[pick.name] = AttributeValue(pick.value)
        }
        var user = User("user_\(number)", attributes: attributes)
        user.segments = segments
        return user
    }
}

extension Project {
    /// An import leaves out what has no effect: empty ranges of traffic, and rules that do not exist.
    private static let reasonsOfIdleParts = [
        "No traffic allocation rules are defined", "There is no rollout", "Rollout of feature", "Invalid rollout ID",
        "is not attached to any experiments",
    ]

    /// Everything that a program sees of a user's decisions.
    func fingerprint(of user: User) -> [String] {
        let flags = Set(flags.map(\.key)).sorted().map { decide($0, for: user, options: [.includeReasons]) }
        let experiments = experiments.map(\.key).sorted().compactMap { decideExperiment($0, for: user) }
        return (flags + experiments).map { decision in
            let ids = [decision.rule?.id, decision.rule?.layerID, decision.variation?.id].map { $0 ?? "-" }
            let variables = "\(decision.variables)".split(separator: " ").sorted()
            // The compiler writes the match type that a missing one stands for.
            let reasons = decision.reasons.map { "\($0)".split(separator: #""match":"exact","#).joined() }
                .filter { reason in !Self.reasonsOfIdleParts.contains(where: reason.contains) }
            return "\(decision) \(decision.source) \(ids) \(variables) \(reasons)"
        }
    }
}

extension JSONValue {
    /// Removes, repeats or replaces a part.
    mutating func damage(_ random: inout SplitMix) {
        switch self {
        case .object(var members):
            guard let key = members.keys.sorted().randomElement(using: &random) else { return }
            if random.next() % 12 == 0 { members[key] = nil } else { members[key]?.damage(&random) }
            self = .object(members)
        case .array(var elements):
            guard let index = elements.indices.randomElement(using: &random) else { return }
            switch random.next() % 6 {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            case 2: elements.swapAt(index, 0)
            default: elements[index].damage(&random)
            }
            self = .array(elements)
        case .string(let text): self = random.next() % 2 == 0 ? .string(text + "x") : .string("")
        case .integer: self = .integer([-1, 0, 1, 5_000, 10_000, 20_000].randomElement(using: &random) ?? 0)
        case .bool(let value): self = .bool(!value)
        case .null, .double, .unsigned: break
        }
    }
}
