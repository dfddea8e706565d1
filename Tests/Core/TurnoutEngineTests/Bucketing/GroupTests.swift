import Testing
import TurnoutEngine

/// A group decides which of its experiments may include a user. The user's bucket in group G is 3869.
@Suite struct GroupTests {
    private static let bucket = Reason.groupBucket(bucket: 3_869, bucketingID: "u")
    private static let inNone = Reason.inNoGroupExperiment(group: "G", bucketingID: "u")

    @Test func usersEnterTheExperimentOfTheirGroupBucket() throws {
        let decision = try Self.decide(#"{"entityId": "1", "endOfRange": 3870}"#)
        #expect(decision.ruleKey == "rule1")
        #expect(
            decision.reasons.prefix(2) == [
                Self.bucket, .inGroupExperiment(experiment: "rule1", group: "G", bucketingID: "u"),
            ])
    }

    @Test func usersOfAnotherGroupExperimentReachIt() throws {
        let decision = try Self.decide(
            #"{"entityId": "1", "endOfRange": 3869}, {"entityId": "2", "endOfRange": 10000}"#)
        #expect(decision.ruleKey == "rule2")
        #expect(
            decision.reasons.prefix(4) == [
                Self.bucket, .inOtherGroupExperiment(experiment: "rule1", group: "G", bucketingID: "u"),
                .inNoVariation(user: "u"), Self.bucket,
            ])
    }

    @Test func unallocatedGroupBucketsExcludeTheUser() throws {
        let exhausted = try Self.decide(#"{"entityId": "1", "endOfRange": 3869}"#)
        #expect(exhausted.stage == .noRule)
        #expect(exhausted.reasons.prefix(3) == [Self.bucket, Self.inNone, .inNoVariation(user: "u")])
        let empty = try Self.decide("")
        #expect(empty.stage == .noRule)
        #expect(empty.reasons.prefix(3) == [Self.bucket, .groupWithoutTraffic(group: "G"), Self.inNone])
    }

    @Test(arguments: ["", "unknown"]) func unknownExperimentsExcludeTheUser(id: String) throws {
        let decision = try Self.decide(#"{"entityId": "\#(id)", "endOfRange": 10000}"#)
        #expect(decision.stage == .noRule)
        #expect(decision.reasons.prefix(3) == [Self.bucket, .unknownExperiment(id: id), Self.inNone])
    }

    @Test func overlappingGroupsChangeNothing() throws {
        let decision = try Self.decide("", policy: "overlapping")
        #expect(decision.ruleKey == "rule1")
        #expect(decision.reasons == [.inExperiment(variation: "1a", experiment: "rule1", user: "u")])
    }

    /// With the bucketing id `bid` the bucket in the group is 2280.
    @Test func groupsUseTheBucketingID() throws {
        let user = User("u", attributes: ["$opt_bucketing_id": "bid"])
        let traffic = #"{"entityId": "1", "endOfRange": 2281}, {"entityId": "2", "endOfRange": 10000}"#
        #expect(try Self.decide(traffic, user: user).ruleKey == "rule1")
        #expect(try Self.decide(traffic).ruleKey == "rule2")
    }

    @Test func groupExperimentsAreMutuallyExclusive() throws {
        let project = try Self.project(
            #"{"entityId": "1", "endOfRange": 4000}, {"entityId": "2", "endOfRange": 9000}"#, policy: "random")
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

    private static func decide(_ traffic: String, policy: String = "random", user: User = User("u")) throws -> Decision
    {
        try project(traffic, policy: policy).decide("flag", for: user, options: .includeReasons)
    }

    private static func project(_ traffic: String, policy: String) throws -> Project {
        let rules = [SmallDatafile.rule("1"), SmallDatafile.rule("2")].joined(separator: ",")
        return try SmallDatafile(
            groups: """
                {"id": "G", "policy": "\(policy)", "trafficAllocation": [\(traffic)], "experiments": [\(rules)]}
                """, flags: SmallDatafile.flag("flag", experiments: ["1", "2"])
        ).project()
    }
}
