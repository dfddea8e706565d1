import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutFlags
import TurnoutServer

/// What the status says, in words.
@Suite(.blocking) struct HealthPageTests {
    private func page(_ shop: ShopServer) async -> String { await shop.response("GET", "/console/health", [:]).text }

    @Test func whatWorksIsSaidAndWhoSendsEvents() async throws {
        let storage = ServerStorage.temporary()
        let shop = try ShopServer(storage: storage) { $0.access.allowsLocalManagement = true }
        shop.wallClock.set(EventBodies.time + 2 * ScriptedEvent.hour)
        #expect(await page(shop).contains("The server is not ready"))
        _ = try shop.server.start()
        let empty = await self.page(shop)
        #expect(empty.contains("Everything works.") && empty.contains("No client has reported"))
        try storage.events.write([
            .exposure("ada", "1", 1), .exposure("bob", "1", 2), .exposure("kim", "1", 3, client: "<swift>"),
            .exposure("old", "1", 4, after: -8 * ScriptedEvent.day, client: "java-sdk"),
        ])
        let page = await page(shop)
        #expect(page.contains("<bdi>python-sdk</bdi></th><td><bdi>5.7.0</bdi></td><td>2 hours ago</td>"))
        #expect(page.contains("<td class=\"right\">2</td>"))
        #expect(page.contains("&lt;swift&gt;") && !page.contains("java-sdk"))
        #expect(page.contains("<bdi>42</bdi></td>") && !page.contains(ShopServer.key))
        await shop.server.stop(immediately: true)
    }

    @Test func problemsComeFirstWithAdvice() async throws {
        let shop = try ShopServer { $0.access.allowsLocalManagement = true }
        _ = try shop.server.start()
        let mistake = Diagnostic(.error, "unknown-key", "unknown key \"rulez\"", advice: "did you mean \"rules\"?")
        shop.server.datafiles.report(DatafileSourceProblem("wrong", [mistake]), of: "flags.yaml")
        _ = await shop.response(
            "POST", "/ofrep/v1/evaluate/flags/checkout_redesign",
            body: #"{"context":{"targetingKey":"ada","contry":"US"}}"#)
        _ = await shop.response("GET", "/v1/config", ["X-Optimizely-SDK-Key": "unknown"])
        let page = await page(shop)
        #expect(page.contains("The server works. To look at: 3 things below."))
        #expect(page.contains("The latest <bdi>flags.yaml</bdi> is not in use"))
        #expect(page.contains("Unknown key &quot;rulez&quot;. Did you mean"))
        #expect(page.contains("contry (1)") && page.contains("1 request had an SDK key"))
        shop.server.datafiles.remove(ShopServer.key)
        let failing = await self.page(shop)
        #expect(failing.contains("The server is not ready") && failing.contains("No datafile is loaded."))
        await shop.server.stop(immediately: true)
    }
}
