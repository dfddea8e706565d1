/// The lines that `turnout replay` recognizes.
@Suite struct LogLineTests {
    private let flag: ImpactDatafile = {
        var datafile = ImpactDatafile()
        datafile.flags[0].audience = "us"
        return datafile
    }()

    /// A user in the experiment, the decision, and the reverse: the user without attributes.
    private func decided() throws -> (project: Project, user: User, decision: Decision) {
        let project = try flag.project
        let users = (1...100).map { User("u\($0)", attributes: ["country": "US"]) }
        let user = try #require(users.first { project.decide("flag_1", for: $0).variationKey == "b" })
        return (project, user, project.decide("flag_1", for: user))
    }

    private func results(_ line: String, _ project: Project, users: [String: User] = [:]) throws -> [String] {
        try LogLine.decisions(in: try JSONValue(parsing: line)).map { decision in
            switch LogComparison(project, users: users).compare(decision) {
            case .equal: "equal"
            case .different(let difference): "different: " + difference.parts.map(\.name).joined(separator: ", ")
            case .notComparable(let reason): reason
            }
        }
    }

    /// Lines for a user of the experiment with the variation `b`; `USER` is the user's id.
    private static let lines = [
        #"{"user":"USER","attributes":{"country":"US"},"flag":"flag_1","variation":"b","rule":"test_1"}"#,
        #"{"userId":"USER","attributes":{"country":"US"},"flagKey":"flag_1","variationKey":"b","isEnabled":true}"#,
        #"{"type":"flag","userId":"USER","attributes":{"country":"US"},"decisionInfo":{"flagKey":"flag_1","#
            + #""enabled":true,"variables":{"title":"x"},"variationKey":"b","ruleKey":"test_1","reasons":[],"#
            + #""decisionEventDispatched":true,"experimentId":"e1","variationId":"b1"}}"#,
        #"{"type":"flag","user_id":"USER","attributes":{"country":"US"},"decision_info":{"flag_key":"flag_1","#
            + #""enabled":true,"variation_key":"b","rule_key":"test_1","experiment_id":"e1","variation_id":"b1"}}"#,
        #"{"type":"feature","userId":"USER","attributes":{"country":"US"},"decisionInfo":{"featureKey":"flag_1","#
            + #""featureEnabled":true,"source":"feature-test","sourceInfo":{"experimentKey":"test_1","#
            + #""variationKey":"b"}}}"#,
        #"{"type":"feature-variable","user_id":"USER","attributes":{"country":"US"},"decision_info":{"#
            + #""feature_key":"flag_1","feature_enabled":true,"variable_key":"title","variable_value":"x","#
            + #""source":"feature-test","source_info":{}}}"#,
        #"{"type":"all-feature-variables","userId":"USER","attributes":{"country":"US"},"decisionInfo":{"#
            + #""featureKey":"flag_1","featureEnabled":true,"variableValues":{"title":"x"}}}"#,
        #"{"type":"feature-test","userId":"USER","attributes":{"country":"US"},"decisionInfo":{"#
            + #""experimentKey":"test_1","variationKey":"b"}}"#,
        #"{"visitors":[{"visitor_id":"USER","attributes":[{"entity_id":"1","key":"country","type":"custom","#
            + #""value":"US"},{"key":"$opt_bot_filtering","value":true}],"snapshots":[{"decisions":[{"#
            + #""campaign_id":"l1","experiment_id":"e1","variation_id":"b1","metadata":{"flag_key":"flag_1","#
            + #""rule_key":"test_1","rule_type":"feature-test","variation_key":"b","enabled":true}}]}]}]}"#,
        #"{"url":"","params":{"visitors":[{"visitor_id":"USER","attributes":[{"key":"country","value":"US"}],"#
            + #""snapshots":[{"decisions":[{"campaign_id":"l1","experiment_id":"e1","variation_id":null,"metadata":{"#
            + #""flag_key":"","rule_key":"test_1","rule_type":"experiment","variation_key":"b"}}]}]}]}}"#,
    ]

    @Test(arguments: lines.indices) func everyFormIsDecidedAgain(index: Int) throws {
        let (project, user, _) = try decided()
        let line = Self.lines[index].replacing("USER", with: user.id)
        #expect(try results(line, project) == ["equal"])
        // The same line with another variation, or for a user outside of the audience, is different.
        let isVariable = line.contains("variable")
        let other = isVariable ? line.replacing(#""x""#, with: #""y""#) : line.replacing(#""b""#, with: #""a""#)
        #expect(try results(other, project)[0].hasPrefix(isVariable ? "different: variable title" : "different: "))
        let outside = line.replacing(#""US""#, with: #""DE""#)
        #expect(try results(outside, project)[0].hasPrefix(isVariable && !line.contains("source") ? "" : "different: "))
    }

    @Test func theEngineReadsItsOwnEvents() throws {
        let (project, user, decision) = try decided()
        var writer = JSONWriter()
        EventEncoder(project: project, clientName: "test", clientVersion: "1").write(
            try #require(decision.impression), of: user, stamp: EventStamp(timestamp: 1, uuid: .init(0, 0)), to: &writer
        )
        // The project declares no attributes, so the event has none.
        #expect(try results(writer.text, project)[0].hasPrefix("different"))
        #expect(try results(writer.text, project, users: [user.id: user]) == ["equal"])
    }

    @Test func conversionsAreNoDecisions() throws {
        let line = #"{"visitors":[{"visitor_id":"a","attributes":[],"snapshots":[{"events":[{"key":"buy"}]}]}]}"#
        #expect(try results(line, try flag.project).isEmpty)
    }

    @Test func missingAttributesComeFromTheFileOfUsers() throws {
        let (project, user, _) = try decided()
        let line = #"{"user":"\#(user.id)","flag":"flag_1","variation":"b","rule":"test_1","enabled":true}"#
        #expect(try results(line, project) == ["the user's attributes are not in the log"])
        #expect(try results(line, project, users: [user.id: user]) == ["equal"])
    }

    @Test func predictedVariationsAreNotComparable() throws {
        let line = #"{"user":"a","attributes":{},"flag":"flag_1","variation":"b","stage":"predicted"}"#
        #expect(try results(line, try flag.project) == ["a prediction service chose the variation"])
    }

    @Test func numbersAreEqualInEverySpelling() throws {
        let text = flag.text.replacing(
            #""type": "string", "defaultValue": "x""#, with: #""type": "double", "defaultValue": "2""#)
        let project = try Project(datafile: Array(text.utf8))
        for (value, result) in [("2", "equal"), ("2.0", "equal"), ("2.5", "different: variable title")] {
            let line = #"{"user":"a","attributes":{},"flag":"flag_1","variables":{"title":\#(value)}}"#
            #expect(try results(line, project) == [result])
        }
    }

    @Test func aMissingFlagIsDifferent() throws {
        let line = #"{"user":"a","attributes":{},"flag":"flag_9","variation":null,"enabled":false}"#
        #expect(try results(line, try flag.project) == ["different: "])
    }

    @Test(arguments: [
        ("[1]", "expected a JSON object"), (#"{"level":"info"}"#, "neither a decision"),
        (#"{"flag":"f"}"#, "has no user id"),
        (#"{"userId":"a","decisionInfo":{}}"#, "has no flag, feature or experiment"),
        (#"{"visitors":[{}]}"#, "has no id"),
        (#"{"visitors":[{"visitor_id":"a","snapshots":[{"decisions":[{}]}]}]}"#, "has no metadata"),
    ]) func otherLinesAreExplained(line: String, message: String) throws {
        let value = try JSONValue(parsing: line)
        let error = #expect(throws: LogLineError.self) { try LogLine.decisions(in: value) }
        #expect(error?.message.contains(message) == true)
    }
}
