/// The numbers and the code of "Which variation, and why it stays" are right.
@Suite struct BucketingPageTests {
    @Test func aBucketFollowsFromTwoIds() {
        let olga = Bucketing(bucketingID: "olga")
        let hash = olga.hash(entityID: "4101")
        let bucket = olga.bucket(entityID: "4101")

        #expect(hash == 2_158_400_771 && bucket == 5025)
    }

    @Test(arguments: [
        ("grace", 331_783_808, 772, "control"), ("olga", 2_158_400_771, 5025, "two_step"),
        ("bob", 2_749_915_922, 6402, "two_step"), ("ada", 3_697_126_268, 8608, "one_page"),
    ])
    func theTableIsRight(user: String, hash: Int, bucket: Int, variation: String) throws {
        let bucketing = Bucketing(bucketingID: user)
        #expect(Int(bucketing.hash(entityID: "4101")) == hash)
        #expect(hash * 10_000 / (1 << 32) == bucket)
        #expect(bucketing.bucket(entityID: "4101") == bucket)
        let client = try FlagClient(datafile: shop)
        let decision = client.user(user, attributes: ["country": "US", "orders": 12]).decide("checkout_redesign")
        #expect(decision.variationKey == variation)
    }

    @Test func anotherIdCanBeBucketed() throws {
        let client = try FlagClient(datafile: shop)
        let tim = client.user("tim", attributes: ["$opt_bucketing_id": "ada", "country": "US", "orders": 12])
        #expect(tim.decide("checkout_redesign").variationKey == "one_page")
    }
}
