import TestSupport
import TurnoutServer

@Suite("Streams of notifications")
struct NotificationFeedTests {
    private static func feed(
        _ change: (inout NotificationOptions) -> Void = { _ in }, uptime: @escaping @Sendable () -> Duration = { .zero }
    ) -> NotificationFeed {
        var options = NotificationOptions()
        change(&options)
        return NotificationFeed(epoch: "e", options: options, uptime: uptime)
    }

    private static func publish(_ texts: String..., to feed: NotificationFeed, as kind: NotificationKind = .decision) {
        for text in texts { feed.publish(kind) { Array(text.utf8) } }
    }

    @Test func subscribersReceiveTheirKinds() throws {
        let feed = Self.feed()
        let decisions = try #require(feed.subscribe(to: [.decision]))
        let raw = try #require(feed.subscribe(to: [.decision, .track], isRaw: true))
        Self.publish("1", to: feed)
        Self.publish("2", to: feed, as: .track)
        feed.sendHeartbeat()
        #expect(decisions.available == "id: e-1\ndata: 1\n\n: keep-alive\n\n")
        #expect(raw.available == "1\n2\n")
        decisions.close()
        #expect(feed.subscriberCount == 1)
    }

    @Test func withoutSubscribersNothingIsMade() {
        let feed = Self.feed()
        feed.publish(.decision) {
            Issue.record("made a notification")
            return []
        }
    }

    @Test func aClientThatReconnectsReceivesWhatItMissed() throws {
        let feed = Self.feed()
        let first = try #require(feed.subscribe(to: [.decision]))
        Self.publish("1", to: feed)
        first.close()
        Self.publish("2", "3", to: feed)
        Self.publish("4", to: feed, as: .track)
        let again = try #require(feed.subscribe(to: [.decision], after: "e-1"))
        Self.publish("5", to: feed)
        #expect(again.available == "id: e-2\ndata: 2\n\nid: e-3\ndata: 3\n\nid: e-5\ndata: 5\n\n")
        #expect(feed.subscribe(to: [.decision], after: "e-5")?.available == "")
    }

    @Test(arguments: ["d-1", "e-0", "e-99", "e", "x-y-z"])
    func aGapIsReported(id: String) throws {
        let feed = Self.feed { $0.replayCount = 2 }
        _ = try #require(feed.subscribe(to: [.decision]))
        Self.publish("1", "2", "3", to: feed)
        let again = try #require(feed.subscribe(to: [.decision], after: id))
        #expect(again.available == ": earlier notifications are no longer known\n\n")
    }

    @Test func replayIsBoundedInNumberAndSize() throws {
        let few = Self.feed { $0.replayCount = 3 }
        _ = few.subscribe(to: [.decision])
        for _ in 0..<100 { Self.publish("x", to: few) }
        #expect(few.subscribe(to: [.decision], after: "e-97")?.available.hasPrefix("id: e-98") == true)
        #expect(few.subscribe(to: [.decision], after: "e-96")?.available.hasPrefix(": earlier") == true)
        let small = Self.feed { $0.replaySize = 10 }
        _ = small.subscribe(to: [.decision])
        Self.publish("123456", "7890", "x", to: small)
        #expect(small.subscribe(to: [.decision], after: "e-1")?.available.hasPrefix("id: e-2") == true)
        #expect(small.subscribe(to: [.decision], after: "e-0")?.available.hasPrefix(": earlier") == true)
    }

    @Test func recordingEndsSomeTimeAfterTheLastSubscriber() throws {
        let now = Locked(Duration.zero)
        let feed = Self.feed(uptime: { now.withLock { $0 } })
        try #require(feed.subscribe(to: [.decision])).close()
        now.withLock { $0 = .seconds(59) }
        Self.publish("1", to: feed)
        #expect(feed.subscribe(to: [.decision], after: "e-0")?.available == "id: e-1\ndata: 1\n\n")
    }

    @Test func onlyASlowReaderLosesItsStream() throws {
        let feed = Self.feed { $0.streamBuffer = 100 }
        let slow = try #require(feed.subscribe(to: [.decision]))
        let quick = try #require(feed.subscribe(to: [.decision]))
        for number in 1...10 {
            Self.publish("0123456789", to: feed)
            #expect(quick.available == "id: e-\(number)\ndata: 0123456789\n\n")
        }
        #expect(slow.available.hasPrefix("id: e-1\n"))
        #expect(slow.hasEnded)
        #expect(feed.subscriberCount == 1)
    }

    @Test func streamsAreLimited() throws {
        let feed = Self.feed { $0.streams = 1 }
        let stream = try #require(feed.subscribe(to: []))
        #expect(feed.subscribe(to: []) == nil)
        stream.close()
        #expect(feed.subscribe(to: []) != nil)
    }

    @Test func publishersKeepTheOrder() async throws {
        let feed = Self.feed { $0.streamBuffer = 16 << 20 }
        let stream = try #require(feed.subscribe(to: [.decision]))
        await concurrently(0..<4) { _ in for _ in 0..<500 { Self.publish("x", to: feed) } }
        let ids = stream.available.split(separator: "\n").filter { $0.hasPrefix("id: ") }
        #expect(ids == (1...2_000).map { "id: e-\($0)" })
    }

    // MARK: The Agent's route

    private static func agent() throws -> TestAgent {
        var configuration = AgentConfiguration()
        configuration.allowsNotifications = true
        return try TestAgent(configuration)
    }

    @Test func theRouteStreamsDecisionsConversionsAndChanges() async throws {
        let agent = try Self.agent()
        let response = await agent.send("GET", "/v1/notifications/event-stream")
        #expect(response.status == 200 && response.headers["Content-Type"] == "text/event-stream")
        let stream = try #require(response.stream)
        let body = #"{"userId": "ada", "userAttributes": {"country": "FI"}, "eventTags": {"value": 2.5}}"#
        _ = await agent.post("/v1/decide?keys=search", body)
        #expect(
            stream.available.drop { $0 != "\n" } == """

                data: {"Type":"flag","UserContext":{"ID":"ada","Attributes":{"country":"FI"},"QualifiedSegments":null},\
                "DecisionInfo":{"decisionEventDispatched":true,"enabled":true,"experimentId":"1002",\
                "flagKey":"search","reasons":[],"ruleKey":"ranking_test","variables":{},"variationId":"3003",\
                "variationKey":"by_sales"}}


                """)
        _ = await agent.post("/v1/track?eventKey=purchase", body)
        #expect(
            stream.available.drop { $0 != "\n" } == """

                data: {"EventKey":"purchase","UserContext":{"ID":"ada","Attributes":{"country":"FI"},\
                "QualifiedSegments":null},"EventTags":{"value":2.5},"ConversionEvent":{"entity_id":"900",\
                "key":"purchase","Attributes":[{"value":"FI","key":"country","type":"custom","entity_id":"1"}],\
                "tags":{"value":2.5},"value":2.5}}


                """)
        try agent.directory.publish(TestDatafile.shop(revision: 2), for: "shop")
        #expect(stream.available.contains(#"data: {"Type":"project_config_update","Revision":"2"}"#))
        _ = await agent.post("/v1/activate?featureKey=checkout&experimentKey=checkout_test", body)
        let activations = stream.available
        #expect(activations.contains(#""DecisionInfo":{"feature":{"featureEnabled":true,"featureKey":"checkout","#))
        #expect(activations.contains(#""Type":"feature-test""#))
        _ = await agent.post("/v1/decide?keys=none", body)
        #expect(stream.available.isEmpty)
    }

    @Test func theRouteFilters() async throws {
        let agent = try Self.agent()
        let path = "/v1/notifications/event-stream"
        let tracks = try #require(await agent.send("GET", path + "?filter=track,unknown&raw=").stream)
        let none = try #require(await agent.send("GET", path + "?filter=unknown").stream)
        _ = await agent.post("/v1/decide?keys=search", #"{"userId": "ada"}"#)
        _ = await agent.post("/v1/track?eventKey=purchase", #"{"userId": "ada"}"#)
        #expect(tracks.available.hasPrefix("{\"EventKey\":\"purchase\""))
        #expect(none.available.isEmpty)
        let off = try TestAgent()
        #expect(await off.get(path) == "403 Notification stream not enabled\n")
    }
}
