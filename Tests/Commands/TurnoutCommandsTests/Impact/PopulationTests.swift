/// The users that `turnout impact` generates, and the intervals of their shares.
@Suite struct PopulationTests {
    private func population(_ description: String, seed: UInt64 = 1) throws -> Population {
        Population(.description(try PopulationDescription(try JSONValue(parsing: description))), seed: seed)
    }

    private static let shop = """
        {"attributes": {"country": {"values": [{"value": "US", "weight": 3}, "DE"], "share": 0.5},
                        "orders": {"range": [0, 9]}, "total": {"range": [0.5, 1.5]},
                        "version": {"versions": ["1.0", "2.0"]}},
         "segments": {"vip": 0.25}}
        """

    @Test func usersDependOnlyOnSeedAndNumber() throws {
        func text(_ seed: UInt64, _ numbers: [Int]) throws -> [String] {
            let population = try population(Self.shop, seed: seed)
            return numbers.map { population.user($0).description(includingPersonalData: true) }
        }
        #expect(try text(1, [1, 2, 3]) == text(1, [3, 2, 1]).reversed())
        #expect(try text(1, [1, 2, 3]) != text(2, [1, 2, 3]))
        #expect(try population("{}").user(7).id == "user-7" && Population.number(ofID: "user-7") == 7)
        #expect(["user-07", "user-", "user-0", "ada", "user--1"].allSatisfy { Population.number(ofID: $0) == nil })
    }

    /// Each condition has users that meet it and users that do not.
    @Test(arguments: [
        #"["and", {"type":"custom_attribute","name":"a","match":"exact","value":"x"}]"#,
        #"["not", {"type":"custom_attribute","name":"a","match":"exact","value":true}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"exact","value":7}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"gt","value":9223372036854775807}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"le","value":0.5}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"substring","value":"x"}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"exists"}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"semver_gt","value":"5.2"}]"#,
        #"["or", {"type":"custom_attribute","name":"a","match":"semver_lt","value":"5.0.0-beta.1"}]"#,
        #"["or", {"type":"third_party_dimension","name":"odp.audiences","match":"qualified","value":"vip"}]"#,
        #"["and", {"type":"custom_attribute","name":"a","match":"ge","value":18},"#
            + #" ["not", {"type":"custom_attribute","name":"b","match":"exact","value":"US"}]]"#,
    ]) func usersMeetTheAudiencesAndDoNot(conditions: String) throws {
        var datafile = ImpactDatafile()
        datafile.flags[0].audience = "us"
        datafile.flags[0].ends = [10_000, 10_000, 10_000]
        datafile.conditions = conditions
        let project = try datafile.project
        let population = Population(.description(PopulationDescription(audiencesOf: [project, project])), seed: 1)
        let inTest = (1...200).count { project.decide("flag_1", for: population.user($0)).ruleKey == "test_1" }
        let isNeverMet = conditions.contains("9223372036854775807")
        #expect(isNeverMet ? inTest == 0 : (10...190).contains(inTest), "\(inTest) of 200")
    }

    @Test func manyValuesOfAnAttributeAreLimited() throws {
        var datafile = ImpactDatafile()
        datafile.flags[0].audience = "us"
        let leaves = (1...5_000).map {
            #"{"type":"custom_attribute","name":"id","match":"exact","value":"user \#($0)"}"#
        }
        datafile.conditions = "[\"or\", \(leaves.joined(separator: ","))]"
        let description = PopulationDescription(audiencesOf: [try datafile.project])
        let population = Population(.description(description), seed: 1)
        let values = Set((1...5_000).compactMap { population.user($0).attributes["id"].map { "\($0)" } })
        #expect(values.count == 100)
    }

    @Test func attributesHaveTheirShares() throws {
        let population = try population(Self.shop)
        let users = (1...4_000).map { population.user($0) }
        func share(_ isCounted: (User) -> Bool) -> Double { Double(users.count(where: isCounted)) / 4_000 }
        // Five standard deviations are at most 0.04.
        #expect(abs(share { $0.attributes["country"] != nil } - 0.5) < 0.04)
        #expect(abs(share { $0.attributes["country"] == "US" } - 0.375) < 0.04)
        #expect(abs(share { $0.attributes["orders"] == 0 } - 0.1) < 0.03)
        #expect(abs(share { $0.attributes["orders"] == 9 } - 0.1) < 0.03)
        #expect(abs(share { $0.attributes["version"] == "2.0" } - 0.5) < 0.04)
        #expect(abs(share { $0.segments == ["vip"] } - 0.25) < 0.04)
        #expect(
            users.allSatisfy { user in
                guard case .double(let total)? = user.attributes["total"] else { return false }
                return (0.5...1.5).contains(total)
            })
    }

    @Test func usersLikeRealOnesHaveWholeSetsOfAttributes() {
        var vip = User("real", attributes: ["country": "US", "plan": "gold"])
        vip.segments = ["vip"]
        let population = Population(.users([vip, User("other", attributes: ["country": "DE"])]), seed: 1)
        for user in (1...100).map({ population.user($0) }) {
            #expect(user.attributes["plan"] == (user.attributes["country"] == "US" ? "gold" : nil))
            #expect(user.segments.contains("vip") == (user.attributes["country"] == "US"))
        }
    }

    @Test(arguments: [
        ("[]", "$: expected an object"), (#"{"atributes": {}}"#, "$.atributes: expected only"),
        (#"{"attributes": {"a": {}}}"#, "$.attributes.a: expected an object with one of"),
        (#"{"attributes": {"a": {"values": ["x"], "range": [1, 2]}}}"#, "$.attributes.a: expected an object with one"),
        (#"{"attributes": {"a": {"values": []}}}"#, "$.attributes.a.values: expected a list"),
        (#"{"attributes": {"a": {"values": [{"value": 1, "weight": -1}]}}}"#, "$.attributes.a.values[0].weight: "),
        (#"{"attributes": {"a": {"values": [{"weight": 1}]}}}"#, "$.attributes.a.values[0]: expected a value"),
        (#"{"attributes": {"a": {"values": [{"value": 1, "weight": 0}]}}}"#, "expected a weight above 0"),
        (#"{"attributes": {"a": {"range": [2, 1]}}}"#, "$.attributes.a.range: expected the least"),
        (#"{"attributes": {"a": {"range": [2.0, 1.5]}}}"#, "$.attributes.a.range[1]: expected a number from 2.0"),
        (#"{"attributes": {"a": {"versions": [3]}}}"#, "$.attributes.a.versions[0]: expected a text"),
        (#"{"attributes": {"a": {"values": [1], "share": 2}}}"#, "$.attributes.a.share: expected a number from 0.0"),
        (#"{"segments": {"vip": "x"}}"#, "$.segments.vip: expected a number"),
    ]) func anInvalidDescriptionIsRejectedWithItsPlace(text: String, message: String) throws {
        let document = try JSONValue(parsing: text)
        let problem = #expect(throws: PopulationDescription.Problem.self) { try PopulationDescription(document) }
        #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "")")
    }

    /// Computed with the formula of the paper in another language.
    @Test(arguments: [
        (0, 10, 0, 0.2775328), (1, 10, 0.0178762, 0.4041500), (5, 10, 0.2365931, 0.7634069), (10, 10, 0.7224672, 1),
        (120, 100_000, 0.0010037, 0.0014346),
    ]) func intervalsAreThoseOfWilson(users: Int, sample: Int, lower: Double, upper: Double) {
        let range = WilsonInterval(users, of: sample).range
        #expect(abs(range.lowerBound - lower) < 1e-6 && abs(range.upperBound - upper) < 1e-6, "\(range)")
    }
}
