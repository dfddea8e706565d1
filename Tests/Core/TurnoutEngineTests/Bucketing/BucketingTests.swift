@Suite struct BucketingTests {
    @Test(
        arguments: [
            ("ppid1", "1886780721", 2_256_854_705, 5_254), ("ppid2", "1886780721", 1_846_603_100, 4_299),
            ("", "", 1_364_076_727, 3_175), ("", "1886780721", 3_066_986_126, 7_140), ("a", "", 1_485_495_528, 3_458),
            ("ab", "", 3_087_506_246, 7_188), ("abc", "", 2_859_854_335, 6_658), ("abcd", "", 2_616_542_610, 6_092),
            ("abcde", "", 4_289_507_611, 9_987), ("日本語", "42", 3_215_622_858, 7_486), ("🙂", "42", 1_942_042_502, 4_521),
            ("e\u{301}", "42", 2_804_803_711, 6_530), ("\u{E9}", "42", 1_878_044_293, 4_372),
            // The ends of the range.
            ("u30081", "1", 2_836, 0), ("u48799", "1", 44_233, 0), ("u4383", "1", 4_294_580_368, 9_999),
            ("u6690", "1", 4_294_944_969, 9_999),
        ] as [(String, String, UInt32, Int)])
    func bucketsAreThoseOfTheSpecification(user: String, entity: String, hash: UInt32, bucket: Int) {
        let bucketing = Bucketing(bucketingID: user)
        #expect(bucketing.hash(entityID: entity) == hash)
        #expect(bucketing.bucket(entityID: entity) == bucket)
    }

    /// The two ids are hashed one after the other; only their concatenation matters.
    @Test func splitOfTheConcatenatedIDsDoesNotMatter() {
        let text = Array("the quick brown fox, ids of a user and a rule")
        let expected = Bucketing(bucketingID: String(text)).hash(entityID: "")
        for cut in 0...text.count {
            let bucketing = Bucketing(bucketingID: String(text[..<cut]))
            #expect(bucketing.hash(entityID: String(text[cut...])) == expected, "cut at \(cut)")
            #expect(bucketing.hash(entityID: String(text[cut...])) == expected, "hashed again, cut at \(cut)")
        }
    }

    @Test func sameUserAlwaysGetsTheSameBucket() {
        var random = RepeatableRandom(stream: 401)
        for _ in 0..<1_000 {
            let (user, entity) = ("user \(random.next())", "\(random.next() % 1_000_000)")
            let bucket = Bucketing(bucketingID: user).bucket(entityID: entity)
            #expect((0..<Bucketing.bucketCount).contains(bucket))
            #expect(Bucketing(bucketingID: user).bucket(entityID: entity) == bucket)
        }
    }

    @Test(arguments: [("bid", 5_657, 2_280), ("", 164, 0)]) func bucketingIDReplacesTheUser(
        id: String, one: Int, group: Int
    ) {
        let user = User("u", attributes: ["$opt_bucketing_id": .string(id)])
        #expect(user.bucketingID == id)
        guard !id.isEmpty else { return }
        #expect(Bucketing(bucketingID: user.bucketingID).bucket(entityID: "1") == one)
        #expect(Bucketing(bucketingID: user.bucketingID).bucket(entityID: "G") == group)
    }

    @Test(
        arguments: [5, 1.5, true, .null, ["x"], ["k": "x"], .opaque(description: "x", isNull: false)]
            as [AttributeValue])
    func nonStringBucketingIDsAreIgnored(value: AttributeValue) {
        #expect(User("u", attributes: ["$opt_bucketing_id": value]).bucketingID == "u")
    }

    @Test func bucketingIDFollowsTheAttributes() throws {
        let ramp = SmallDatafile.rule("1") { $0.ends = [5_000] }
        let project = try SmallDatafile(experiments: ramp, flags: SmallDatafile.flag("flag", experiments: ["1"]))
            .project()
        var user = User("u")
        #expect(project.decide("flag", for: user).isEnabled, "bucket 4732")
        user.attributes["$opt_bucketing_id"] = "bid"
        #expect(!project.decide("flag", for: user).isEnabled, "bucket 5657")
        user.attributes["$opt_bucketing_id"] = nil
        #expect(project.decide("flag", for: user).isEnabled)
    }

    // MARK: Group
    // A group decides which of its experiments may include a user. The user's bucket in group G is 3869.

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
