import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutFlags

@testable import TurnoutServer

/// When results are computed, and how a server answers with them.
@Suite(.blocking) struct ResultsServiceTests {
    private let storage = ServerStorage.temporary()

    @Test func computingTakesATenthOfTheTime() throws {
        let clock = ManualClock()
        let service = ResultsService(
            storage.events,
            exclusions: {
                clock.advance(by: .seconds(1))
                return []
            }, clock: clock)
        let experiment = RecordedExperiment(
            projectID: "12001", id: "4101", environment: "production", key: "test", flag: nil,
            variations: ["a", "b"].map { .init(id: $0, key: $0) }, metrics: [], plannedVisitors: nil, periods: [])
        func visitors() throws -> [Int] {
            [
                try service.results(of: experiment).arms[0].visitors,
                try service.distribution(of: experiment).visitors.reduce(0) { $0 + $1.visitors },
            ]
        }
        try storage.events.write([.exposure("ada", "a", 1)])
        #expect(try visitors() == [1, 1])
        try storage.events.write([.exposure("bob", "a", 2)])
        #expect(try visitors() == [1, 1])
        clock.advance(by: .seconds(9))
        #expect(try visitors() == [2, 2])
    }

    @Test func aServerSaysAsOfWhenResultsAre() async throws {
        let shop = try ShopServer(storage: storage) { $0.access.allowsLocalManagement = true }
        try ExperimentHistory(of: shop.server.datafiles).write(to: storage.events, rebuilds: 0)
        let response = await shop.response("GET", "/results/checkout_test")
        #expect(response.status == 200 && response.headers["Last-Modified"] == HTTPDate.text(1_000))
        let page = await shop.response("GET", "/results/checkout_test?format=html").text
        #expect(page.contains("as of 1970-01-01 00:16 UTC"))
        await storage.close()
        #expect(await shop.response("GET", "/results").text.contains("the server is stopping"))
        #expect(!shop.log.text.contains("results:"))
    }

    @Test func aListThatIsMissingIsNoResult() async throws {
        let shop = try ShopServer(storage: storage) {
            $0.access.allowsLocalManagement = true
            $0.results.exclude = ["segment:staff"]
        }
        try ExperimentHistory(of: shop.server.datafiles).write(to: storage.events, rebuilds: 0)
        let response = await shop.response("GET", "/results")
        #expect(response.status == 503 && response.text.contains("staff"))
    }
}
