/// Users keep their variation, with exceptions.
@Suite struct StickinessTests {
    private let setup = TestSetup()
    private let profiles = Profiles()

    private func variation(
        _ datafile: OldDatafile = OldDatafile(), _ user: String = "ada", _ attributes: [String: Any]? = nil
    ) throws -> String? {
        try setup.client(datafile, profiles: profiles).variation("sticky", userId: user, attributes: attributes)?
            .variationKey
    }

    @Test("A-26") func usersKeepTheirVariationWhenTrafficChanges() throws {
        #expect(try variation() == "first")
        #expect(try variation(OldDatafile(sticky: "12")) == "first")
        #expect(try variation(OldDatafile(sticky: "12"), "new") == "second")
        let forgetful = try setup.client(OldDatafile(sticky: "12"), profiles: OPTLYUserProfileServiceNoOp())
        #expect(forgetful.variation("sticky", userId: "ada")?.variationKey == "second")
    }

    @Test("A-27") func aDeletedVariationIsReplaced() throws {
        profiles.save(Profiles.profile("ada", "1", "13"))
        #expect(try variation() == "first")
        #expect(profiles.variation(of: "ada", in: "1") == "11")
    }

    @Test("A-28") func usersWhoLeaveTheAudienceKeepTheVariation() throws {
        let datafile = OldDatafile(sticky: "12", isForGold: true)
        #expect(try variation(datafile, "ada", ["plan": "none"]) == nil)
        #expect(try variation(datafile, "ada", ["plan": "gold"]) == "second")
        #expect(try variation(datafile, "ada", ["plan": "none"]) == "second")
    }

    @Test("A-29") func aPausedExperimentHasNoVariation() throws {
        profiles.save(Profiles.profile("ada", "1", "11"))
        let client = try setup.client(OldDatafile(status: "Paused"), profiles: profiles)
        #expect(client.setForcedVariation("sticky", userId: "ada", variationKey: "second"))
        #expect(client.variation("sticky", userId: "ada") == nil)
    }

    @Test("A-30") func forcedPrecedesWhitelistedPrecedesStored() throws {
        profiles.save(Profiles.profile("ada", "1", "11"))
        let saves = profiles.journal.count
        let client = try setup.client(
            OldDatafile(variations: ["11", "12", "13"], whitelist: ["ada": "second"]), profiles: profiles)
        #expect(client.setForcedVariation("sticky", userId: "ada", variationKey: "third"))
        #expect(client.variation("sticky", userId: "ada")?.variationKey == "third")
        #expect(!client.setForcedVariation("sticky", userId: "ada", variationKey: ""))
        #expect(!client.setForcedVariation("sticky", userId: "ada", variationKey: "unknown"))
        #expect(!client.setForcedVariation("unknown", userId: "ada", variationKey: nil))
        #expect(client.getForcedVariation("sticky", userId: "ada")?.variationId == "13")
        #expect(client.setForcedVariation("sticky", userId: "ada", variationKey: nil))
        #expect(client.setForcedVariation("sticky", userId: "unknown", variationKey: nil))
        #expect(client.variation("sticky", userId: "ada")?.variationKey == "second")
        #expect(!profiles.journal.all.dropFirst(saves).contains("save ada"))
        #expect(profiles.variation(of: "ada", in: "1") == "11")
    }

    @Test("A-31", arguments: 0..<7) func aMalformedProfileIsReplaced(number: Int) throws {
        let malformed: [[AnyHashable: Any]] = [
            [:], ["user_id": "ada"], ["experiment_bucket_map": ["1": ["variation_id": "12"]]],
            ["user_id": 1, "experiment_bucket_map": [:]], ["user_id": "ada", "experiment_bucket_map": "text"],
            ["user_id": "ada", "experiment_bucket_map": ["1": "12"]], Profiles.profile("ada", "1", ""),
        ]
        let profiles = Profiles(["ada": malformed[number]])
        let client = try setup.client(profiles: profiles)
        #expect(client.variation("sticky", userId: "ada")?.variationKey == "first")
        #expect(profiles.variation(of: "ada", in: "1") == "11")
    }

    @Test func idsMayBeNumbers() throws {
        profiles.save(Profiles.profile("ada", "1", 12))
        #expect(try variation() == "second")
    }

    @Test("A-35") func theBucketingIDIsHashedAndTheAssignmentStoredByUser() throws {
        let client = try setup.client(profiles: profiles)
        client.activate("sticky", userId: "ada", attributes: ["$opt_bucketing_id": "x"])
        #expect(profiles.journal.all == ["lookup ada", "save ada"])
        #expect(profiles.variation(of: "ada", in: "1") == "11")
    }

    @Test func theBucketOfAUserIsThatOfTheBucketingID() throws {
        // Half of the users are in the experiment; the numbers are those of FeatureTests.
        var datafile = OldDatafile()
        datafile.end = 5_000
        let client = try setup.client(datafile, profiles: OPTLYUserProfileServiceNoOp())
        let users = (0..<40).map { "user \($0)" }
        for user in users {
            let own = client.variation("sticky", userId: user)
            for attributes: [String: Any] in [["$opt_bucketing_id": user], ["$opt_bucketing_id": 7]] {
                let other = client.variation(
                    "sticky", userId: attributes["$opt_bucketing_id"] is String ? "ada" : user, attributes: attributes)
                #expect(other == own)
            }
        }
        let empty = client.variation("sticky", userId: "")
        for user in users {
            #expect(client.variation("sticky", userId: user, attributes: ["$opt_bucketing_id": ""]) == empty)
        }
    }
}
