import ServerTestSupport
import TestSupport
import TurnoutFlags

@testable import TurnoutServer

/// Predictions from the events of a server.
@Suite struct PredictionServiceTests {
    private let datafiles = DatafileDirectory()
    private let events = ServerStorage.temporary().events

    private func service(_ metrics: [String] = ["offer_bandit=purchase.unique"]) throws -> PredictionService {
        try datafiles.publish(TestDatafile.shop(), for: "shop")
        var options = PredictionService.Options()
        options.metrics = metrics.compactMap(BanditMetric.init)
        return PredictionService(
            datafiles, events: events, options, wallClock: .fixed(EventBodies.time + 60_000), log: .silent)
    }

    /// A service that has learned from ``learn()``.
    private func taught() throws -> PredictionService {
        let service = try service()
        try learn()
        service.update()
        return service
    }

    /// 400 users, half of whom get each variation; those with 3006 convert.
    private func learn() throws {
        var records: [EventRows] = []
        for number in 0..<400 {
            let isOn = number % 2 == 0
            var snapshots = [exposure(number, variation: isOn ? "3006" : "3005")]
            if isOn { snapshots.append(EventBodies.conversion(uuid: EventBodies.uuid(number * 2 + 1))) }
            let body = EventBodies.body(
                EventBodies.visitor("u\(number)", snapshots.joined(separator: ",")), project: "20")
            records.append(EventBatchParser().rows(of: EventBodies.record(body)))
        }
        var page = ProcessedPage(next: 1)
        page.rows = records
        _ = try events.write(page)
    }

    private func exposure(_ number: Int, variation: String) -> String {
        """
        {"decisions":[{"campaign_id":"l1003","experiment_id":"1003","variation_id":"\(variation)"}],"events":\
        [{"entity_id":"l1003","timestamp":\(EventBodies.time - 1),"key":"campaign_activated",\
        "uuid":"\(EventBodies.uuid(number * 2))"}]}
        """
    }

    private func respond(
        _ service: PredictionService, _ method: String, _ path: String, _ body: String = "", query: String = ""
    ) async -> ServerResponse {
        let routes = RouteTable(PredictionRoutes(service).routes)
        let head = RequestHead(method, path, query: QueryParameters(parsing: query))
        return await routes.respond(to: ServerRequest(head, body: Array(body.utf8))).response
    }

    @Test func weightsFollowConversions() throws {
        let service = try service()
        #expect(service.bandit("1003")?.arms.map(\.weight) == [5_000, 5_000])
        try learn()
        service.update()
        let bandit = try #require(service.bandit("1003"))
        #expect(bandit.arms.map(\.variationKey) == ["off", "on"])
        #expect(bandit.arms.map(\.statistics.users) == [200, 200])
        #expect(bandit.arms.map(\.statistics.mean) == [0, 1])
        #expect(bandit.arms.map(\.weight) == [0, 10_000])
        #expect(service.updated == EventBodies.time + 60_000)
    }

    @Test func withoutMetricNothingIsLearned() throws {
        let service = try service([])
        try learn()
        service.update()
        #expect(service.bandit("1003")?.arms.map(\.weight) == [5_000, 5_000])
    }

    @Test func theFirstMetricOfTheProjectTakesPrecedence() throws {
        let service = try service(["offer_bandit=other.unique"])
        let metrics = try ["x=purchase.unique", "x=other.unique"].map { try #require(BanditMetric($0)).metric }
        datafiles.define(["1003": ExperimentDesign(metrics)], by: "flags.yaml")
        try learn()
        service.update()
        #expect(service.bandit("1003")?.arms.map(\.weight) == [0, 10_000])
    }

    @Test func aRemovedRuleHasNoPredictions() throws {
        let service = try taught()
        datafiles.remove("shop")
        #expect(service.variationID(ruleID: "1003", userID: "ada") == nil)
    }

    @Test func usersAreDividedByWeightAndAlwaysTheSame() throws {
        let service = try service()
        let first = (0..<2_000).map { service.variationID(ruleID: "1003", userID: "user-\($0)") }
        #expect(first == (0..<2_000).map { service.variationID(ruleID: "1003", userID: "user-\($0)") })
        #expect(abs(first.count { $0 == "3006" } - 1_000) < 90)
    }

    @Test func clientsGetPredictions() async throws {
        let service = try taught()
        let body = """
            {"instances":[{"visitorId":"ada","experimentId":"1003","attributes":[],"cmabUUID":"x"},{"visitorId":"bo"}]}
            """
        let response = await respond(service, "POST", "/predict/1003", body)
        #expect(response.status == 200)
        #expect(response.text == #"{"predictions":[{"variation_id":"3006"},{"variation_id":"3006"}]}"#)
        #expect(await respond(service, "POST", "/predict/1001", body).status == 404)
    }

    @Test(arguments: ["", "{", "{}", #"{"instances":[]}"#, #"{"instances":{}}"#, #"{"instances":[{"visitorId":1}]}"#])
    func malformedRequestsAreRefused(body: String) async throws {
        #expect(await respond(try service(), "POST", "/predict/1003", body).status == 400)
    }

    @Test func weightsAreVisible() async throws {
        let service = try taught()
        let response = await respond(service, "GET", "/predict/offer_bandit")
        #expect(
            response.text == """
                {"rule":"offer_bandit","environment":"production","ruleId":"1003","projectId":"20",\
                "metric":"purchase.unique","direction":"increase","seed":0,\
                "variations":[{"variation":"off","variationId":"3005","weight":0.0,"users":200,"mean":0.0,\
                "variance":0.0},{"variation":"on","variationId":"3006","weight":1.0,"users":200,"mean":1.0,\
                "variance":0.0}],"updated":"2026-01-15T12:01:00.000Z"}

                """)
        #expect(await respond(service, "GET", "/predict/1003").text == response.text)
        #expect(await respond(service, "GET", "/predict/1001").status == 404)
    }

    @Test func aKeyOfSeveralEnvironmentsNeedsTheEnvironment() async throws {
        let service = try service()
        let other = String(decoding: TestDatafile.shop(), as: UTF8.self)
            .replacing("1003", with: "2003").replacing("production", with: "development")
        try datafiles.publish(Array(other.utf8), for: "development")
        let response = await respond(service, "GET", "/predict/offer_bandit")
        #expect(response.status == 400)
        #expect(
            response.text == """
                {"error":"several bandits are named offer_bandit: add one of ?environment=production, \
                ?environment=development"}

                """)
        let chosen = await respond(service, "GET", "/predict/offer_bandit", query: "environment=development")
        #expect(chosen.text.hasPrefix(#"{"rule":"offer_bandit","environment":"development","ruleId":"2003","#))
        #expect(await respond(service, "GET", "/predict/offer_bandit", query: "environment=x").status == 404)
    }

    @Test func decisionsOfTheServerUsePredictions() async throws {
        let service = try taught()
        var services = DecisionServices()
        services.predictions = service
        let clients = DecisionClients(datafiles, services: services)
        let client = try #require(clients["shop"])
        var options = DecideOptions()
        options.insert(.disableDecisionEvent)
        let user = User("ada", attributes: ["country": "FI"])
        #expect(await client.decide(.one("offers"), for: user, options: options)[0].variationKey == "on")
    }

    @Test func numbersThatNoHubHasAreRefused() throws {
        func isPlausible(_ change: (inout HubState) -> Void = { _ in }, weight: Double = 0.25, users: Int = 9) -> Bool {
            let arms = [(weight, users), (0.75, 1)].map { weight, users in
                CopiedBandit.Arm(
                    variation: "a", variationId: "1", weight: weight, users: users, mean: 0.5, variance: 0.1)
            }
            var state = HubState(day: 20_000, updated: EventBodies.time)
            state.bandits = [
                CopiedBandit(
                    rule: "r", environment: nil, ruleId: "1", projectId: "2", metric: nil, direction: nil, seed: -1,
                    variations: arms)
            ]
            change(&state)
            return state.isPlausible
        }
        #expect(isPlausible() && isPlausible { ($0.updated, $0.bandits) = (nil, []) })
        for weight in [-1, 0, 1e300, .infinity, .nan] { #expect(!isPlausible(weight: weight)) }
        #expect(!isPlausible(users: .min) && !isPlausible { $0.day = .min } && !isPlausible { $0.updated = .min })
        #expect(!isPlausible { $0.forgotten = [.init(number: .max, ids: [])] })
    }
}
