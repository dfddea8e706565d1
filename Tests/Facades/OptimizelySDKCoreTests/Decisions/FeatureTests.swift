/// Features and their variables.
@Suite struct FeatureTests {
    private let setup = TestSetup()

    @Test("A-39") func enabledFeaturesSendAnImpressionForEachTest() throws {
        let client = try setup.client()
        #expect(client.getEnabledFeatures("ada") == ["tested", "grouped", "rolled"])
        #expect(setup.dispatcher.events.map(\.kind) == ["impression", "impression"])
        let impression = setup.dispatcher.snapshot?["decisions"]?.elements.first
        #expect(
            impression
                == .object([
                    "campaign_id": .string("505"), "experiment_id": .string("5"), "variation_id": .string("51"),
                ]))
    }

    @Test("A-40") func variablesAreReadLeniently() throws {
        let client = try setup.client()
        #expect(client.getFeatureVariableInteger("tested", variableKey: "junk integer", userId: "ada") == 0)
        #expect(client.getFeatureVariableDouble("tested", variableKey: "junk double", userId: "ada") == 0.0)
        #expect(client.getFeatureVariableBoolean("tested", variableKey: "junk boolean", userId: "ada") == false)
        #expect(client.getFeatureVariableBoolean("tested", variableKey: "yes", userId: "ada") == true)
        #expect(client.getFeatureVariableInteger("tested", variableKey: "long", userId: "ada") == 100)
        #expect(client.getFeatureVariableInteger("tested", variableKey: "count", userId: "ada") == 7)
        #expect(client.getFeatureVariableString("tested", variableKey: "title", userId: "ada") == "abc")
        #expect(client.getFeatureVariableDouble("tested", variableKey: "count", userId: "ada") == nil)
        #expect(client.getFeatureVariableString("tested", variableKey: nil, userId: "ada") == nil)
        #expect(client.getFeatureVariableString(nil, variableKey: "title", userId: "ada") == nil)
        #expect(client.getFeatureVariableString("tested", variableKey: "title", userId: nil) == nil)
        #expect(setup.dispatcher.events.isEmpty)
    }

    @Test func theLastVariableOfAKeyIsTaken() throws {
        let datafile = OldDatafile().text.replacing(#""key": "junk integer""#, with: #""key": "count""#)
        let client = try required(
            setup.manager { $0.datafileManager = OPTLYDatafileManagerNoOp() }
                .initialize(withDatafile: Data(datafile.utf8)))
        #expect(client.getFeatureVariableInteger("tested", variableKey: "count", userId: "ada") == 0)
    }

    @Test func aFeatureOfSeveralGroupsIsOff() throws {
        let client = try setup.client()
        let received = Collected<String>()
        client.notificationCenter()?.addDecisionNotificationListener { type, _, _, _ in received.add(type) }
        #expect(!client.isFeatureEnabled("mixed", userId: "ada") && !client.isFeatureEnabled("unknown", userId: "ada"))
        #expect(!client.isFeatureEnabled(nil, userId: "ada") && !client.isFeatureEnabled("tested", userId: nil))
        #expect(received.all.isEmpty && setup.logger.texts(.error).count == 3)
        #expect(client.isFeatureEnabled("rolled", userId: "ada") && received.all == ["feature"])
    }

    @Test func listenersReceiveTheDecision() throws {
        let client = try setup.client()
        let received = Collected<[String: String]>()
        client.notificationCenter()?.addDecisionNotificationListener { type, user, attributes, info in
            var texts = info.mapValues { "\($0)" }
            (texts["type"], texts["user"], texts["attributes"]) = (type, user, "\(attributes?.count ?? -1)")
            received.add(texts)
        }
        client.isFeatureEnabled("tested", userId: "ada")
        client.getFeatureVariableInteger("tested", variableKey: "count", userId: "ada", attributes: ["plan": "gold"])
        client.variation("sticky", userId: "ada")
        client.variation("tested_rule", userId: "ada")
        #expect(received.all.map { $0["type"] } == ["feature", "feature-variable", "ab-test", "feature-test"])
        #expect(received.all.map { $0["attributes"] } == ["0", "1", "0", "0"])
        #expect(received.all[0]["source"] == "feature-test" && received.all[0]["featureEnabled"] == "true")
        #expect(received.all[1]["variableValue"] == "7" && received.all[1]["variableType"] == "integer")
        #expect(received.all[2]["variationKey"] == "first" && received.all[2]["experimentKey"] == "sticky")
    }

    @Test func theProjectCanBeInspected() throws {
        let config = try required(try setup.client().optimizely?.config)
        #expect(config.accountId == "99" && config.projectId == "12345678" && config.botFiltering == true)
        #expect(config.experiments.map(\.experimentKey) == ["sticky", "tested_rule"])
        #expect(config.allExperiments?.map(\.experimentId) == ["1", "3", "5"])
        let sticky = try required(config.getExperimentForKey("sticky"))
        #expect(sticky.status == "Running" && sticky.layerId == "501" && sticky.groupId == nil)
        #expect(sticky.variations.map(\.variationKey) == ["first", "second"])
        #expect(sticky.getVariationForVariationId("12") == sticky.getVariationForVariationKey("second"))
        #expect(sticky.trafficAllocations.map(\.endOfRange) == [10_000])
        #expect(config.getExperimentId(forKey: "grouped") == "5" && config.getExperimentForId("5")?.groupId == "4")
        #expect(config.getGroupForGroupId("4")?.policy == "random" && config.isFeatureExperiment("3"))
        #expect(config.getFeatureFlag(forKey: "tested")?.variables.first?.type == "integer")
        #expect(config.getRolloutForId("R")?.experiments.map(\.experimentKey) == ["delivery"])
        #expect(
            config.getEventId(forKey: "purchase") == "81" && config.getEventForKey("purchase")?.eventKey == "purchase")
        #expect(config.getAttributeId(forKey: "plan") == "71" && config.getAudienceForId("61")?.audienceName == "gold")
        let gold = try setup.client(OldDatafile(isForGold: true)).optimizely?.config?.getExperimentForKey("sticky")
        #expect(gold?.audienceIds == ["61"])
        let usage = config.getExperimentForKey("tested_rule")?.variations.first?.getVariableUsage(forVariableId: "91")
        #expect(usage?.value == "7")
    }

    // MARK: Bucket
    // Buckets are those of all clients or, on request, those of the Objective-C library.

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
