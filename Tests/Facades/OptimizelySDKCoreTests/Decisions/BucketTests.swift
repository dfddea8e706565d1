/// Buckets are those of all clients or, on request, those of the Objective-C library.
@Suite struct BucketTests {
    /// Bucketing id, entity id, the bucket of all clients, the bucket of the Objective-C library.
    static let vectors: [(String, String, Int, Int)] = [
        ("ppid1", "1886780721", 5254, 5254), ("ppid2", "1886780721", 4299, 4299), ("ppid2", "1886780722", 2434, 2434),
        ("ppid3", "1886780721", 5439, 5439), ("2113143589306368718", "18513703488", 0, 0),
        ("héllo", "1886780721", 8950, 5704), ("ユーザー1", "1886780721", 7227, 2374), ("ユーザー1", "1886780722", 1915, 2374),
    ]

    @Test("A-37", arguments: vectors) func bucketsMatchMeasuredOnes(
        id: String, entity: String, bucket: Int, legacy: Int
    ) {
        #expect(Bucketing(bucketingID: id).bucket(entityID: entity) == bucket)
        #expect(Bucketing.truncatedBucket(bucketingID: id, entityID: entity) == legacy)
    }

    @Test func aLongIDOfWideLettersHidesTheExperiment() {
        for entity in ["1886780721", "1886780722", "9999999999"] {
            #expect(Bucketing.truncatedBucket(bucketingID: "ユーザーアカウント", entityID: entity) == 1882)
        }
    }

    @Test(arguments: [false, true]) func aManagerSelectsTheBucketing(isLegacy: Bool) throws {
        let setup = TestSetup()
        let text = OldDatafile().text.replacingOccurrences(
            of: #""id": "1", "key""#, with: #""id": "1886780721", "key""#)
        // `héllo` is in bucket 8950, or with legacy bucketing in 5704.
        let half = Data(
            text.replacingOccurrences(of: #""11", "endOfRange": 10000"#, with: #""11", "endOfRange": 6000"#).utf8)
        let manager = try setup.manager {
            $0.datafileManager = OPTLYDatafileManagerNoOp()
            $0.legacyBucketing = isLegacy
        }
        let client = manager.initialize(withDatafile: half)
        #expect(client?.variation("sticky", userId: "héllo")?.variationKey == (isLegacy ? "first" : nil))
        #expect(client?.variation("sticky", userId: "ppid1")?.variationKey == "first")
    }
}
