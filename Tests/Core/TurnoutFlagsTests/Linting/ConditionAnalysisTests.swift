/// Random conditions on few attributes, decided for users with all kinds of values.
@Suite("No user contradicts what lint says of a condition")
struct ConditionAnalysisTests {
    private static let values: [AttributeValue?] = [
        nil, .null, .string("a"), .string("b"), .string(""), .string("2.1"), .integer(1), .integer(2), .double(2),
        .double(1.5), .double(.nan), .double(-.infinity), .integer(1 << 60), .bool(true), .bool(false),
        .array([.string("a")]), .object([:]),
    ]

    @Test(arguments: 1...UInt64(rounds(1, thorough: 4))) func findingsAgreeWithDecisions(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var project = AuthoredProject(key: "p")
        project.environments = [AuthoredEnvironment(key: "e")]
        project.attributes = [AuthoredAttribute(key: "x"), AuthoredAttribute(key: "y")]
        for number in 0..<250 {
            let condition = Self.condition(depth: 3, named: number, &random)
            project.audiences.append(AuthoredAudience(key: "a\(number)", condition: condition))
            project.flags.append(Self.flag("f\(number)", audiences: [number]))
        }
        let pairs = (0..<rounds(300, thorough: 1_000)).map { _ in
            (first: Int(random.next() % 250), second: Int(random.next() % 250))
        }
        project.flags += pairs.enumerated().map { Self.flag("g\($0)", audiences: [$1.first, $1.second]) }
        let compiled = ProjectCompiler(project, lock: LockFile()).compile()
        let datafile = try Project(datafile: try #require(compiled.datafiles.first).bytes)
        let messages = Set(ProjectLint(project).findings.map(\.message))
        let never = (0..<250).filter { messages.contains("no user meets audience a\($0)") }
        let always = (0..<250).filter { messages.contains("every user meets audience a\($0)") }
        #expect(never.count > 20, "the conditions are too varied")
        let taken = pairs.enumerated().filter { index, _ in
            messages.contains(
                "delivery d1 of flag g\(index) never applies: delivery d0 before it takes all of its users")
        }.map(\.element)
        #expect(taken.count { $0.first != $0.second } > rounds(1, thorough: 5), "\(taken.count)")
        for user in Self.users {
            let wrong =
                never.filter { datafile.decide("f\($0)", for: user).variationKey != "off" }
                + always.filter { datafile.decide("f\($0)", for: user).variationKey != "on" }
            let on = (0..<250).map { datafile.decide("f\($0)", for: user).variationKey == "on" }
            let reached = taken.filter { on[$0.second] && !on[$0.first] }
                .map { [project.audiences[$0.first].condition.words, project.audiences[$0.second].condition.words] }
            #expect(reached.isEmpty, "\(user.attributes): \(reached)")
            let conditions = wrong.map { project.audiences[$0].condition }
            #expect(wrong.isEmpty, "\(user.attributes): \(conditions)")
            if !wrong.isEmpty || !reached.isEmpty { return }
        }
    }

    private static func flag(_ key: String, audiences: [Int]) -> AuthoredFlag {
        var flag = AuthoredFlag(key: key)
        flag.variations = [AuthoredVariation(key: "on")]
        flag.rules.deliveries = audiences.enumerated().map { index, audience in
            var delivery = AuthoredDelivery(key: "d\(index)", variation: "on")
            delivery.audience = .audience("a\(audience)", SourceOrigin())
            return delivery
        }
        return flag
    }

    private static var users: [User] {
        values.flatMap { x in
            values.flatMap { y in
                [Set<String>(), ["s"]].map { segments in
                    let pairs = [("x", x), ("y", y)].compactMap { name, value in value.map { (name, $0) } }
                    var user = User("u", attributes: Attributes(Dictionary(uniqueKeysWithValues: pairs)))
                    user.segments = segments
                    return user
                }
            }
        }
    }

    private static func condition(depth: Int, named count: Int, _ random: inout SplitMix) -> AuthoredCondition {
        switch random.next() % (depth == 0 ? 4 : 10) {
        case 0 where count > 0: return .audience("a\(random.next() % UInt64(count))", SourceOrigin())
        case 1: return .segment("s", SourceOrigin())
        case 4, 5, 6:
            return .all((0..<random.next() % 4).map { _ in condition(depth: depth - 1, named: count, &random) })
        case 7, 8: return .any((0..<random.next() % 4).map { _ in condition(depth: depth - 1, named: count, &random) })
        case 9: return .not(condition(depth: depth - 1, named: count, &random))
        default: return .attribute(test(&random))
        }
    }

    private static func test(_ random: inout SplitMix) -> AttributeTest {
        let match = AttributeTest.Match.allCases[Int(random.next() % UInt64(AttributeTest.Match.allCases.count))]
        let texts: [JSONValue] = [.string("a"), .string("b"), .string("2"), .string("2.1")]
        let numbers: [JSONValue] = [.integer(1), .integer(2), .double(1.5), .double(2)]
        let values: [JSONValue]
        switch match {
        case .exists: return AttributeTest("x", .exists, nil)
        case .exact: values = texts + numbers + [.bool(true), .bool(false)]
        case .greater, .greaterOrEqual, .less, .lessOrEqual: values = numbers
        default: values = texts
        }
        let name = random.next() % 3 == 0 ? "y" : "x"
        return AttributeTest(name, match, values[Int(random.next() % UInt64(values.count))])
    }
}
