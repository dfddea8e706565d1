import ServerTestSupport
import TestSupport
import TurnoutServer

/// The events of a server as its operator sees them.
@Suite struct EventServiceTests {
    private static let old = EventReader.forwarding(to: "https://ada:s3cret@old.example/v1/events?key=s3cret")
    private let storage = ServerStorage.temporary(maximumLogSize: 1 << 20)
    private var log: SegmentLog { storage.log }

    private func server(_ change: (inout ServerConfiguration) -> Void = { _ in }) throws -> ShopServer {
        try ShopServer(storage: storage, change)
    }

    /// Waits until a line of the log contains a text, while the clock runs.
    private func wait(for text: String, _ shop: ShopServer) async throws {
        try await TestSupport.wait(text) {
            shop.clock.advance(by: .seconds(1))
            return shop.log.text.contains(text)
        }
    }

    private func fill() async throws {
        try log.acknowledge(0, by: Self.old.name)
        while log.status.refused == 0 { _ = try? await log.append(EventBodies.ten(1), receivedAt: EventBodies.time) }
    }

    @Test func aForwardingThatIsNotConfiguredAnyMoreHoldsNothingBack() async throws {
        try await fill()
        let kept = EventReader.forwarding(to: "https://new.example/v1/events")
        try log.acknowledge(0, by: kept.name)
        let shop = try server { $0.events.forwardingAddress = "https://new.example/v1/events" }
        _ = try shop.server.start()
        try await wait(for: "forwarding to https://****@old.example/v1/events has ended", shop)
        #expect(log.readers[Self.old.name] == nil)
        #expect(log.readers[kept.name] == 0)
        #expect(!shop.log.text.contains("s3cret"))
        await shop.server.stop(immediately: true)
    }

    @Test func bodiesThatCannotBeReadAreInTheMetrics() async throws {
        let shop = try server()
        #expect(await shop.response("POST", "/v1/events", body: "{\"visitors\":[").status == 400)
        let metrics = await shop.response("GET", "/metrics").text
        #expect(metrics.contains("turnout_request_bodies_refused_total{reason=\"malformed_events\"} 1\n"))
        #expect(metrics.contains("turnout_request_bodies_refused_total{reason=\"invalid_compression\"} 0\n"))
    }

    /// The names in events are texts of clients: some may be those of people.
    @Test func exposuresAreCountedByTheVariationsOfDatafiles() async throws {
        let flag = "checkout_redesign"
        let known = [(flag, "two_step"), (flag, "two_step"), (flag, ""), (flag, "untouched")]
        let arms = known + [("ada@example.com", ""), (flag, "ada")]
        for (number, arm) in arms.enumerated() {
            let exposure = EventBodies.exposure(uuid: EventBodies.uuid(number)).replacing(flag, with: arm.0)
            let visitor = EventBodies.visitor("\(number)", exposure.replacing("two_step", with: arm.1))
            try await log.append(EventBodies.body(visitor, project: "100300"), receivedAt: EventBodies.time)
        }
        let shop = try server()
        _ = try shop.server.start()
        var text = ""
        try await TestSupport.wait("the exposures to be processed") {
            text = await shop.response("GET", "/metrics").text
            return text.contains("turnout_flag_exposures_others_total 2\n")
        }
        for (variation, count) in [("two_step", 2), ("", 1), ("untouched", 1)] {
            #expect(text.contains(#"{project="100300",flag="\#(flag)",variation="\#(variation)"} \#(count)"#))
        }
        #expect(!text.contains("ada"))
        await shop.server.stop(immediately: true)
    }

    @Test func aFullLogNamesTheReaderThatHoldsItBackOnce() async throws {
        let address = "https://slow.example/v1/events"
        try await fill()
        try log.forget(reader: Self.old.name)
        let reader = EventReader.forwarding(to: address).name
        try log.acknowledge(0, by: reader)
        let shop = try server { $0.events.forwardingAddress = address }
        _ = try shop.server.start()
        let text = "the log of events is full; its slowest reader is forwarding to \(address): fix that receiver"
        try await wait(for: text, shop)
        for _ in 0..<20 {
            shop.clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(shop.log.all.count { $0.contains(text) } == 1)
        let ready = await shop.response("GET", "/ready")
        #expect(ready.status == 503 && ready.text.contains("--forget"))
        let status = try await shop.response("GET", "/status").json["events"]
        #expect(status?["slowestReader"] == .string("forwarding to \(address)"))
        try log.acknowledge(log.status.end, by: reader)
        try await wait(for: "the log has room again", shop)
        #expect(await shop.response("GET", "/ready").status == 200)
        await shop.server.stop(immediately: true)
    }
}
