@Suite struct ProjectReaderTests {
    private func read(_ members: String) throws -> AuthoredProject {
        try AuthoredProject.read(json: ReadingProblemTests.project(members))
    }

    @Test func conditionsAreReadFromTheirShortForms() throws {
        let project = try read(
            """
            "audiences": {
              "a": {"plan": "premium"}, "b": {"plan": ["x", 1, true]}, "c": {"age": {"ge": 18, "lt": 65.5}},
              "d": {"plan": "x", "age": {"exists": false}}, "e": {"not": "a"}, "f": {"any": ["a", {"audience": "b"}]},
              "g": {"segment": "s"}, "h": {"all": []}, "i": {"datafile": ["or", "1"]},
              "j": {"attribute": "age", "is": 3}, "k": {"segment": "s", "plan": {"semver_ge": 5.10}}
            }
            """)
        func test(_ attribute: String, _ match: AttributeTest.Match, _ value: JSONValue?) -> AuthoredCondition {
            .attribute(AttributeTest(attribute, match, value))
        }
        let expected: [AuthoredCondition] = [
            test("plan", .exact, .string("premium")),
            .any([
                test("plan", .exact, .string("x")), test("plan", .exact, .integer(1)),
                test("plan", .exact, .bool(true)),
            ]),
            .all([test("age", .greaterOrEqual, .integer(18)), test("age", .less, .double(65.5))]),
            .all([test("plan", .exact, .string("x")), .not(test("age", .exists, nil))]),
            .not(.audience("a", SourceOrigin())),
            .any([.audience("a", SourceOrigin()), .audience("b", SourceOrigin())]), .segment("s", SourceOrigin()),
            .all([]), .verbatim(.array([.string("or"), .string("1")])), test("age", .exact, .integer(3)),
            .all([.segment("s", SourceOrigin()), test("plan", .versionGreaterOrEqual, .string("5.10"))]),
        ]
        #expect(project.audiences.map(\.condition) == expected)
    }

    @Test func segmentsHaveMembersAndRules() throws {
        let project = try read(
            """
            "segments": {"public_key": "k", "define": {
              "testers": {"members": ["ada", 10]},
              "buyers": {"rule": {"event": "purchase", "days": 30, "times": 3, "revenue": 20000}},
              "collectors": {"members": ["joan"], "rule": {"event": "shop/added_to_cart"}}
            }}
            """)
        var service = SegmentService(host: nil, publicKey: "k")
        service.defined = [
            AuthoredSegment(key: "testers", members: ["ada", "10"]),
            AuthoredSegment(key: "buyers", rule: SegmentRule(event: "purchase", days: 30, times: 3, revenue: 20_000)),
            AuthoredSegment(key: "collectors", members: ["joan"], rule: SegmentRule(event: "shop/added_to_cart")),
        ]
        #expect(project.settings.segments == service)
    }

    @Test(arguments: [
        (#"{"event": "f"}"#, "unknown event"), (#"{"days": 3}"#, #"the rule of a segment needs the key "event""#),
        (#"{"event": "purchase", "days": 0}"#, #"expected a whole number of at least 1 for "days", found 0"#),
        (#"{"event": "purchase", "times": 1.5}"#, #"expected a whole number of at least 1 for "times", found 1.5"#),
    ])
    func aWrongRuleOfASegmentIsReported(rule: String, message: String) throws {
        let members = #""segments": {"define": {"s": {"rule": \#(rule)}}}"#
        let error = #expect(throws: Diagnostics.self) { try read(members) }
        #expect(error?.all.map(\.message).joined().contains(message) == true)
    }

    @Test func variablesHaveTheTypeOfTheirDefault() throws {
        let project = try read(
            """
            "flags": {"f": {"variables": {
              "a": "3", "b": 3, "c": 0.50, "d": 1e3, "e": true, "f": {"z": 1.0, "a": [null]},
              "g": {"default": 3}, "h": {"type": "json", "default": {"type": "x"}},
              "i": {"type": "double", "default": 7},
              "j": {"type": "json", "default": "{ }"}
            }}}
            """)
        let variables = project.flags[0].variables
        #expect(
            variables.map(\.type) == [
                .string, .integer, .double, .double, .boolean, .json, .integer, .json, .double, .json,
            ])
        #expect(
            variables.map(\.defaultValue) == [
                "3", "3", "0.50", "1e3", "true", #"{"z":1.0,"a":[null]}"#, "3", #"{"type":"x"}"#, "7", "{ }",
            ])
    }

    @Test func wordsOfYAMLArePlainText() throws {
        func plain(_ text: String) -> Node { Node(.scalar(text, isQuoted: false)) }
        func mapping(_ members: (String, Node)...) -> Node {
            Node(.mapping(members.map { Node.Member(Node.Key($0), $1) }))
        }
        let root = mapping(
            ("project", plain("3")), ("environments", mapping(("on", plain("")))),
            ("flags", mapping(("yes", mapping(("variables", mapping(("v", plain("yes")))), ("else", plain("off")))))))
        let project = try ProjectReader.read(root, in: SourceFile(name: "f", bytes: []))
        #expect(project.key == "3")
        #expect(project.environments.map(\.key) == ["on"])
        #expect(project.flags[0].variables.map(\.defaultValue) == ["yes"])
        #expect(project.flags[0].rules.everyoneElse?.variation == "off")
    }

    @Test func environmentsInheritWhatTheyDoNotReplace() throws {
        let project = try read(
            """
            "flags": {"f": {
              "variations": {"on": {}}, "rules": [{"delivery": "d", "serve": "on", "traffic": "12.5%"}], "else": "on",
              "in": {"production": {"else": null}, "development": {"rules": [], "enabled": false}}
            }}
            """)
        let flag = project.flags[0]
        #expect(flag.rules(in: "production").deliveries == flag.rules.deliveries)
        #expect(flag.rules.deliveries.map(\.traffic.buckets) == [1_250])
        #expect(flag.rules(in: "production").everyoneElse == nil)
        #expect(flag.rules(in: "development").deliveries.isEmpty)
        #expect(flag.rules(in: "development").everyoneElse?.variation == "on")
        #expect(!flag.rules(in: "development").isEnabled)
    }

    @Test func partsKnowWhereTheyAreWritten() throws {
        let text = ReadingProblemTests.project(#""audiences": {"a": {"plan": "premium"}}"#)
        let project = try AuthoredProject.read(json: text)
        let range = try #require(project.audiences[0].origin.range)
        #expect(SourceFile(name: "f", bytes: Array(text.utf8)).text(in: range) == #""a": {"plan": "premium"}"#)
    }

    @Test func deepFilesNeverTrap() {
        func nested(_ open: String, _ close: String) -> String {
            String(repeating: open, count: 500) + "1" + String(repeating: close, count: 500)
        }
        for value in [
            nested("[", "]"), nested(#"{"not": "#, "}"), nested(#"{"all": ["#, "]}"), nested(#"{"a": "#, "}"),
        ] {
            for members in [
                #""datafile": {"a": \#(value)}"#, #""audiences": {"a": {"any": [\#(value)]}}"#, #""flags": \#(value)"#,
                #""flags": {"f": {"variables": {"v": {"x": \#(value)}}}}"#,
            ] {
                do { _ = try read(members) } catch { #expect(error is Diagnostics) }
            }
        }
    }

    @Test func damagedFilesNeverTrap() throws {
        for seed in 0..<UInt64(rounds(60, thorough: 300)) {
            var random = SplitMix(state: seed)
            var root = ProjectWriter.node(of: RandomProject.project(seed: seed))
            for _ in 0..<3 { root = damaged(root, &random) }
            do throws(Diagnostics) { _ = try ProjectReader.read(root, in: SourceFile(name: "f", bytes: [])) } catch {
                #expect(!error.all.isEmpty)
            }
        }
    }

    /// The node with a part replaced, removed or doubled.
    private func damaged(_ node: Node, _ random: inout SplitMix) -> Node {
        let others = [
            Node(.scalar("", isQuoted: false)), Node(.scalar("-1e999", isQuoted: false)), Node(.sequence([])),
            Node(.scalar("99999999999999999999%", isQuoted: true)), Node(.mapping([])), Node(.sequence([node])),
            Node(.mapping([Node.Member(Node.Key(""), node)])), Node(.scalar(".", isQuoted: false)),
        ]
        guard Int.random(in: 0..<8, using: &random) > 0 else { return others.randomElement(using: &random) ?? node }
        switch node.content {
        case .scalar: return others.randomElement(using: &random) ?? node
        case .sequence(var elements):
            guard let index = elements.indices.randomElement(using: &random) else { return node }
            elements[index] = damaged(elements[index], &random)
            return Node(.sequence(elements))
        case .mapping(var members):
            guard let index = members.indices.randomElement(using: &random) else { return node }
            let member = members[index]
            switch Int.random(in: 0..<10, using: &random) {
            case 0: members.append(member)
            case 1: members.remove(at: index)
            case 2: members[index].key.text = "was"
            default: members[index].value = damaged(member.value, &random)
            }
            return Node(.mapping(members))
        }
    }
}
