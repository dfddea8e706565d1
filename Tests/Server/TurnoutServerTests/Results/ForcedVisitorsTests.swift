import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutServer

/// A server knows whose variation was forced.
@Suite(.blocking) struct ForcedVisitorsTests {
    private let storage = ServerStorage.temporary()

    @Test func overriddenAndForcedUsersAreLeftOut() async throws {
        let shop = try ShopServer(storage: storage) {
            $0.agent.allowsOverrides = true
            $0.access.allowsLocalManagement = true
        }
        let bodies = [
            ("/v1/override", #"{"userId":"ada","experimentKey":"checkout_test","variationKey":"two_step"}"#),
            ("/v1/override", #"{"userId":"max","experimentKey":"checkout_test","variationKey":""}"#),
            (
                "/v1/decide?keys=checkout_redesign",
                #"{"userId":"bob","forcedDecisions":[{"flagKey":"checkout_redesign","variationKey":"two_step"}]}"#
            ), ("/v1/decide?keys=checkout_redesign", #"{"userId":"kim","forcedDecisions":[]}"#),
        ]
        let key: HeaderFields = ["X-Optimizely-SDK-Key": ShopServer.key, "Content-Type": "application/json"]
        for (path, body) in bodies { #expect(await shop.response("POST", path, key, body: body).status == 200) }
        try storage.events.write(
            ["ada", "bob", "kim", "max", "vera"].enumerated().map { number, visitor in
                .exposure(visitor, "41012", number, project: "100300")
            })
        _ = try shop.server.start()
        var selection = ResultSelection.checkout
        (selection.projectID, selection.variationIDs) = ("100300", ["41011", "41012"])
        func waitUntilForced(_ count: Int) async throws {
            try await wait("the users are written") {
                shop.clock.advance(by: .seconds(1))
                return try storage.events.distribution(selection).leftOut[.forced] == [0, count]
            }
        }
        try await waitUntilForced(3)
        // One of them is on a list of the datafile.
        #expect(try storage.events.distribution(selection).visitors.map(\.visitors) == [2])
        let experiments = try storage.events.experiments(ofProject: "100300")
        #expect(experiments.map(\.key).contains("checkout_test"))
        #expect(experiments.first { $0.id == "4101" }?.periods.map(\.plan.allowList) == [["vera"]])
        // A user who is forgotten can be forced again.
        #expect(await shop.response("POST", "/users/forget", body: #"{"user_id":"ada"}"#).status == 200)
        try storage.events.write([.exposure("ada", "41012", 9, project: "100300")])
        try await waitUntilForced(2)
        #expect(await shop.response("POST", bodies[0].0, key, body: bodies[0].1).status == 200)
        try await waitUntilForced(3)
        await shop.server.stop(immediately: true)
    }

    @Test func repeatedExposuresAreInTheStatusAndTheMetrics() async throws {
        let shop = try ShopServer(storage: storage) { $0.events.exposures = .firstPerDay }
        try await storage.log.append(Array(#"{"a": 1}"#.utf8), receivedAt: EventBodies.time)
        for number in 1...3 {
            let visitor = EventBodies.visitor("ada", EventBodies.exposure(uuid: EventBodies.uuid(number)))
            try await storage.log.append(EventBodies.body(visitor, project: "100300"), receivedAt: EventBodies.time)
        }
        _ = try shop.server.start()
        try await wait("the events are processed") { (try? storage.texts("visitor_id", of: .exposure)) == ["ada"] }
        let status = try await shop.response("GET", "/status").json
        #expect(status["events"]?["repeatedExposures"] == .integer(2))
        #expect(status["events"]?["rejected"] == .integer(1))
        #expect(await shop.response("GET", "/metrics").text.contains("turnout_exposures_repeated_total 2\n"))
        await shop.server.stop(immediately: true)
    }
}
