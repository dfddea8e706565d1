/// A group decides which of its experiments may include a user. The user's bucket in group G is 3869.
@Suite struct GroupTests {
    /// With the bucketing id `bid` the bucket in the group is 2280.
    @Test func groupsUseTheBucketingID() throws {
        let user = User("u", attributes: ["$opt_bucketing_id": "bid"])
        let traffic = #"{"entityId": "1", "endOfRange": 2281}, {"entityId": "2", "endOfRange": 10000}"#
        #expect(try Self.decide(traffic, user: user).ruleKey == "rule1")
        #expect(try Self.decide(traffic).ruleKey == "rule2")
    }

    @Test func groupExperimentsAreMutuallyExclusive() throws {
        let project = try Self.project(#"{"entityId": "1", "endOfRange": 4000}, {"entityId": "2", "endOfRange": 9000}"#)
        var counts: [String?: Int] = [:]
        for number in 0..<500 {
            let rules = ["rule1", "rule2"].filter {
                project.decideExperiment($0, for: User("user \(number)"))?.variation != nil
            }
            #expect(rules.count <= 1)
            counts[rules.first, default: 0] += 1
        }
        #expect(counts.count == 3, "each of the two, and neither")
    }

    private static func decide(_ traffic: String, user: User = User("u")) throws -> Decision {
        try project(traffic).decide("flag", for: user)
    }

    private static func project(_ traffic: String) throws -> Project {
        let rules = [SmallDatafile.rule("1"), SmallDatafile.rule("2")].joined(separator: ",")
        return try SmallDatafile(
            groups: """
                {"id": "G", "policy": "random", "trafficAllocation": [\(traffic)], "experiments": [\(rules)]}
                """, flags: SmallDatafile.flag("flag", experiments: ["1", "2"])
        ).project()
    }
}
