/// Different spellings of the same datafile.
@Suite struct DatafileSpellingTests {
    @Test(arguments: 1...6) func orderOfMembersChangesNothing(round: UInt64) throws {
        var spelling = RandomSpelling(random: RepeatableRandom(stream: 200 + round))
        try Self.expectSameDecisions(spelling.text(of: ExampleShop.document()))
    }

    /// From names that are compared as one word, to those that are too long to be predicted.
    @Test(arguments: [0, 1, 3, 8, 16, 24, 32, 48, 100]) func indentationChangesNothing(width: Int) throws {
        let space = width == 0 ? "" : "\n" + String(repeating: " ", count: width - 1)
        var spelling = RandomSpelling(random: RepeatableRandom(stream: 220), spaces: [space])
        try Self.expectSameDecisions(spelling.text(of: ExampleShop.document()))
    }

    @Test func trailingCommasChangeNothing() throws {
        var spelling = RandomSpelling(random: RepeatableRandom(stream: 210), hasTrailingCommas: true)
        try Self.expectSameDecisions(spelling.text(of: ExampleShop.document()))
    }

    @Test func escapesInMemberNamesChangeNothing() throws {
        var spelling = RandomSpelling(random: RepeatableRandom(stream: 211), escapesKeys: true)
        try Self.expectSameDecisions(spelling.text(of: ExampleShop.document()))
    }

    @Test func byteOrderMarkChangesNothing() throws {
        try Self.expectSameDecisions("\u{FEFF}" + String(decoding: ExampleShop.datafile, as: UTF8.self))
    }

    @Test func unknownMembersAreSkippedEverywhere() throws {
        let unknown: JSONValue = .array([.object(["id": .null, "status": .integer(1)]), .string("x"), .double(1.5)])
        let document = try ExampleShop.document().mappingObjects { $0.merging(["unknown": unknown, "": .null]) { $1 } }
        try Self.expectSameDecisions(String(decoding: document.bytes, as: UTF8.self))
    }

    /// Members of other format versions may have numbers that no double can represent.
    @Test func unknownMembersMayHoldAnyJSON() throws {
        let text = String(decoding: ExampleShop.datafile, as: UTF8.self)
        try Self.expectSameDecisions(
            text.replacing(#""version""#, with: #""unknown": [1e400, {"a": -1E999}], "version""#))
        let broken = text.replacing(#""version""#, with: #""unknown": [1e], "version""#)
        #expect(throws: DatafileError.self) { try Project(datafile: Array(broken.utf8)) }
    }

    @Test func secondOfTwoEqualMembersIsSkipped() throws {
        let text = String(decoding: ExampleShop.datafile, as: UTF8.self)
            .replacing(#""status": "Running","#, with: #""status": "Running", "status": 5, "id": [], "key": {},"#)
        #expect(text.utf8.count > ExampleShop.datafile.count)
        // In the example, status never comes before id and key.
        try Self.expectSameDecisions(text)
    }

    @Test(arguments: ["5000.0", "5e3", "50E+2", "5000"]) func wholeNumbersMayBeWrittenInAnyForm(number: String) throws {
        let text = String(decoding: ExampleShop.datafile, as: UTF8.self)
        try Self.expectSameDecisions(text.replacing(#""endOfRange": 5000"#, with: #""endOfRange": \#(number)"#))
    }

    @Test(arguments: ["null", "5", #""new""#, #""AB""#, "[]", "{}", "1e400"])
    func unknownExperimentTypesAreTreatedAsABTests(type: String) throws {
        let text = String(decoding: ExampleShop.datafile, as: UTF8.self)
        try Self.expectSameDecisions(text.replacing(#""type": "ab""#, with: #""type": \#(type)"#))
    }

    @Test func conditionsMayBeTextOrJSON() throws {
        let document = try ExampleShop.document()
        let audiences = try #require(document["typedAudiences"]?.elements)
        let asText = try audiences.map { audience in
            let conditions = try #require(audience["conditions"])
            return audience.replacing("conditions", with: .string(String(decoding: conditions.bytes, as: UTF8.self)))
        }
        let edited = document.replacing("typedAudiences", with: .array(asText))
        try Self.expectSameDecisions(String(decoding: edited.bytes, as: UTF8.self))
    }

    // MARK: Helpers

    private static func expectSameDecisions(_ text: String, location: SourceLocation = #_sourceLocation) throws {
        let project = try Project(datafile: Array(text.utf8))
        for (user, expected) in try decisions.get() {
            let found = summaries(project, user)
            guard let difference = zip(expected, found).first(where: { $0 != $1 }) else { continue }
            Issue.record(
                "seed \(RepeatableRandom.seed): \(difference.0)\ninstead: \(difference.1)", sourceLocation: location)
            return
        }
    }

    /// The decisions of the example as it is, made once for all tests.
    private static let decisions = Result {
        let project = try ExampleShop.project()
        return try (ExampleShop.users() + strangers()).map { ($0, summaries(project, $0)) }
    }

    private static func summaries(_ project: Project, _ user: User) -> [String] {
        project.decideAll(for: user, predictions: .received([:]), options: .includeReasons).decisions.map(\.summary)
            + project.decideAll(for: user).decisions.map(\.summary)
    }

    /// Random users, enough to reach every rule.
    private static func strangers() -> [User] {
        var random = RepeatableRandom(stream: 220)
        let choices: [(name: String, values: [AttributeValue?])] = [
            ("country", ["US", "CA", "FI", "DE", nil]), ("plan", ["gold", "free", "trial", .some(.null), nil]),
            ("cart_total", [10, 90.5, 200, "much", nil]), ("orders", [0, 1, 5, 12, nil]),
            ("app_version", ["3.2.0", "3.1.9", "4", "x", nil]), ("company", ["Penguin Oy", nil]),
        ]
        return (0..<60).map { number in
            var user = User("stranger \(number)")
            for (name, values) in choices { user.attributes[name] = random.pick(values) }
            return user
        }
    }
}
