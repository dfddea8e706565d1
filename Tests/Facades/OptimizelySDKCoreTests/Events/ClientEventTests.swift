import Foundation
import OptimizelySDKiOS
import Testing
import TurnoutClient

/// What clients send and tell.
@Suite struct ClientEventTests {
    private let rig = Rig()

    @Test("A-38") func decisionsAreToldFirstAndActivationsLast() throws {
        let client = try rig.client()
        let journal = rig.dispatcher.journal
        let center = try required(client.notificationCenter())
        center.addActivateNotificationListener { experiment, user, attributes, variation, event in
            journal.add("\(experiment.experimentKey) \(user) \(attributes == nil) \(variation.variationKey)")
            journal.add((event["visitors"] as? [Any])?.count == 1 ? "payload" : "nothing")
        }
        center.addDecisionNotificationListener { type, _, _, _ in journal.add(type) }
        client.activate("sticky", userId: "ada")
        #expect(journal.all == ["ab-test", "impression", "sticky ada true first", "payload"])
        client.activate("unknown", userId: "ada")
        #expect(journal.count == 4 && rig.errors.codes == [11])
    }

    @Test("A-41") func knownEventsAreSentAndUnknownOnesReported() throws {
        let client = try rig.client()
        let heard = Collected<String>()
        client.notificationCenter()?.addTrackNotificationListener { key, user, attributes, tags, event in
            heard.add("\(key) \(user) \(attributes?.count ?? 0) \(tags?.count ?? 0) \(event["account_id"] ?? "")")
        }
        client.track("purchase", userId: "ada", attributes: ["plan": "gold"], eventTags: ["revenue": 4_250])
        client.track("unknown", userId: "ada")
        client.track("", userId: "ada")
        #expect(rig.dispatcher.events.map(\.kind) == ["conversion"] && rig.errors.codes == [10, 10])
        #expect(heard.all == ["purchase ada 1 1 99"])
    }

    @Test func allFormsOfTrackingAreOne() throws {
        let client = try rig.client()
        client.track("purchase", userId: "ada")
        client.track("purchase", userId: "ada", attributes: ["plan": "gold"])
        client.track("purchase", userId: "ada", eventTags: ["value": 1])
        client.track("purchase", userId: "ada", attributes: nil, eventTags: nil)
        let known: any OptimizelyProtocol = client
        known.track("purchase", userId: "ada")
        known.track("purchase", userId: "ada", attributes: [:])
        known.track("purchase", userId: "ada", eventTags: [:])
        #expect(known.variation("sticky", userId: "ada") == known.activate("sticky", userId: "ada"))
        #expect(rig.dispatcher.events.map(\.kind) == Array(repeating: "conversion", count: 7) + ["impression"])
    }

    @Test func whoKnowsOnlyTheProtocolNeedsNoAttributes() throws {
        let known: any OptimizelyProtocol = try rig.client()
        #expect(known.isFeatureEnabled("tested", userId: "ada") && known.getEnabledFeatures("ada").contains("tested"))
        #expect(known.getFeatureVariableInteger("tested", variableKey: "count", userId: "ada") == 7)
        #expect(known.getFeatureVariableString("tested", variableKey: "title", userId: "ada") == "abc")
        #expect(known.getFeatureVariableDouble("tested", variableKey: "junk double", userId: "ada") == 0)
        #expect(known.getFeatureVariableBoolean("tested", variableKey: "yes", userId: "ada") == true)
        let tags: [String: Any]? = nil
        known.track("purchase", userId: "ada", eventTags: tags)
        #expect(rig.dispatcher.events.last?.kind == "conversion")
        #expect([OptimizelyBucketId, OptimizelyBotFiltering] == ["$opt_bucketing_id", "$opt_bot_filtering"])
        #expect(OptimizelyUserAgent == "$opt_user_agent")
    }

    /// A client of a program's own tests.
    private final class Chosen: OPTLYClient, @unchecked Sendable {
        private var features: Set<String> = ["mine"]

        override func isFeatureEnabled(_ featureKey: String?, userId: String?, attributes: [String: Any]?) -> Bool {
            featureKey.map { features.contains($0) } ?? false
        }
    }

    @Test func clientsCanBeSubclassed() {
        let client: OPTLYClient = rig.make { Chosen(builder: OPTLYClientBuilder { $0.datafile = OldDatafile().data }) }
        #expect(client.isFeatureEnabled("mine", userId: "ada") && !client.isFeatureEnabled("tested", userId: "ada"))
        #expect(client.activate("sticky", userId: "ada")?.variationKey == "first")
    }

    @Test func impressionsHaveTheirOldForm() throws {
        try rig.client().activate("sticky", userId: "ada", attributes: ["plan": "gold", "unknown": 1])
        let payload = try required(rig.dispatcher.events.first?.payload)
        #expect(payload["client_name"] == .string("ios-sdk") && payload["client_version"] == .string("3.1.5"))
        #expect(payload["anonymize_ip"] == .bool(true) && payload["enrich_decisions"] == .bool(true))
        #expect(payload["region"] == nil && payload["revision"] == .string("1"))
        let visitor = try required(payload["visitors"]?.elements.first)
        #expect(visitor["attributes"]?.elements.map { $0["shouldIndex"] } == [.bool(true), .bool(true)])
        #expect(visitor["attributes"]?.elements.map { $0["key"]?.text } == ["plan", "$opt_bot_filtering"])
        let snapshot = try required(rig.dispatcher.snapshot)
        #expect(snapshot["decisions"]?.elements.map { $0["metadata"] } == [nil])
        #expect(snapshot["events"]?.elements.first?["key"] == .string("campaign_activated"))
        #expect(snapshot["events"]?.elements.first?["entity_id"] == .string("501"))
    }

    @Test func tagsAreTextsAndNumbers() throws {
        try rig.client().track(
            "purchase", userId: "ada",
            eventTags: ["revenue": "4250", "value": "1.5", "flag": true, "list": [1], "note": "text", "count": 3])
        let event = try required(rig.dispatcher.snapshot?["events"]?.elements.first)
        #expect(event["revenue"] == .integer(4_250) && event["value"] == .double(1.5))
        #expect(event["tags"]?["note"] == .string("text") && event["tags"]?["count"] == .integer(3))
        #expect(event["tags"]?["flag"] == nil && event["tags"]?["list"] == nil)
        #expect(rig.logger.texts(.warning).count == 3)
        #expect(rig.logger.texts(.warning).contains("the tag revenue is a text, not a whole number of cents"))
    }

    @Test("A-44") func aListenerIsRemovedOnce() throws {
        let client = try rig.client()
        let center = try required(client.notificationCenter())
        let heard = Collected<String>()
        let id = center.addDecisionNotificationListener { type, _, _, _ in heard.add(type) }
        #expect(id == 1 && center.notificationId == 1)
        #expect(center.removeNotificationListener(UInt(id)))
        #expect(!center.removeNotificationListener(UInt(id)))
        center.addActivateNotificationListener { _, _, _, _, _ in heard.add("activate") }
        center.addTrackNotificationListener { _, _, _, _, _ in heard.add("track") }
        center.clearNotificationListeners(.activate)
        client.activate("sticky", userId: "ada")
        client.track("purchase", userId: "ada")
        center.clearAllNotificationListeners()
        client.track("purchase", userId: "ada")
        #expect(heard.all == ["track"])
    }
}
