import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutReports
import TurnoutServer

/// The results of experiments, as the command prints them.
@Suite(.blocking) struct ResultsPageTests {
    private let storage = ServerStorage.temporary()

    private func server() throws -> ShopServer {
        let shop = try ShopServer(storage: storage) { $0.access.allowsLocalManagement = true }
        shop.wallClock.set(EventBodies.time + 3 * ScriptedEvent.day)
        try ExperimentHistory(of: shop.server.datafiles).write(to: storage.events, rebuilds: 0)
        return shop
    }

    private func page(_ shop: ShopServer, _ path: String) async -> ServerResponse {
        await shop.response("GET", "/console/experiments" + path, [:])
    }

    @Test func theListHasVerdictsAndFilters() async throws {
        let shop = try server()
        let all = await page(shop, "").text
        #expect(all.contains("<h2>Running</h2>") && all.contains("<h2>Not running: no result</h2>"))
        #expect(all.contains("href=\"/console/experiments/checkout_test?environment=demo\""))
        #expect(all.contains("No data yet: no client has reported a visitor of checkout_test."))
        #expect(all.contains("days or more</td>") && all.contains("<td>never ran</td>"))
        #expect(await page(shop, "?q=CHECKOUT").text.contains("checkout_test"))
        #expect(await page(shop, "?state=not+running&q=checkout").text.contains("No experiment is like that"))
        let empty = try ShopServer { $0.access.allowsLocalManagement = true }
        #expect(await page(empty, "").text.contains("<code>turnout plan</code>"))
    }

    @Test func aReportIsTheOneOfTheCommand() async throws {
        let shop = try server()
        try storage.events.write(
            (0..<300).map { number in
                .exposure(
                    "u\(number)", number.isMultiple(of: 2) ? "41011" : "41012", number, after: Int64(number),
                    project: "100300")
            })
        let service = ResultsService(storage.events, wallClock: shop.wallClock)
        let experiment = try service.experiments().named("checkout_test", in: "demo").get()
        let results = try service.results(of: experiment)
        let page = await page(shop, "/checkout_test?environment=demo")
        #expect(page.text.contains(results.report().content.markup) && results.verdict.count > 10)
        #expect(page.text.replacing("<wbr/>", with: "").contains("turnout results checkout_redesign/checkout_test"))
        let json = await self.page(shop, "/checkout_test?environment=demo&format=json")
        #expect(json.content == results.json)
        #expect(json.headers["Content-Disposition"] == "attachment; filename=\"checkout_test.json\"")
        let csv = await self.page(shop, "/checkout_redesign%2Fcheckout_test?format=csv")
        #expect(csv.text == (try service.distribution(of: experiment).csv(of: experiment)))
    }

    @Test func anUnknownExperimentIsSaidInWords() async throws {
        let missing = await page(try server(), "/nothing?environment=demo")
        #expect(missing.status == 404 && missing.text.contains("No experiment is called nothing"))
        #expect(missing.text.contains("known are"))
    }
}
