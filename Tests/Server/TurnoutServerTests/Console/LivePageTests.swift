import ServerTestSupport
import TestSupport
import Testing
import TurnoutClient
import TurnoutEngine
import TurnoutServer

/// The last events, as people and programs see them.
@Suite(.blocking) struct LivePageTests {
    private let storage = ServerStorage.temporary()

    /// A server that has processed bodies.
    private func server(after bodies: [[UInt8]]) async throws -> ShopServer {
        let shop = try ShopServer(storage: storage) { $0.access.allowsLocalManagement = true }
        _ = try shop.server.start()
        try await send(bodies, to: shop)
        return shop
    }

    private func send(_ bodies: [[UInt8]], to shop: ShopServer) async throws {
        for body in bodies { #expect(await shop.response("POST", "/v1/events", bytes: body).status == 204) }
        try await wait("the events are processed") {
            shop.clock.advance(by: .seconds(1))
            return storage.log.status.unreadSize == 0
        }
    }

    private static func exposure(_ user: String, _ number: Int, project: String = "100300") -> [UInt8] {
        let snapshot = EventBodies.exposure(uuid: EventBodies.uuid(number))
        return EventBodies.body(EventBodies.visitor(user, snapshot), project: project)
    }

    private static func purchase(_ user: String, _ number: Int) -> [UInt8] {
        EventBodies.body(
            EventBodies.visitor(user, EventBodies.conversion(uuid: EventBodies.uuid(number))), project: "100300")
    }

    /// The page, or what is left of it with filters, as a browser sends them.
    private func page(_ shop: ShopServer, _ form: String? = nil) async throws -> String {
        let page = await shop.response("GET", "/console/live", [:]).text
        guard let form else { return page }
        return await shop.response("POST", "/console/live", [:], body: form + "&" + (try Self.token(in: page))).text
    }

    private static func token(in page: String) throws -> String {
        let match = try #require(page.firstMatch(of: /name="form_token" value="([^"]+)"/))
        return "form_token=\(match.1)"
    }

    @Test func eventsAndRejectedPartsAreShownAndFiltered() async throws {
        let shop = try await server(after: [
            Self.exposure("ada", 1), Self.purchase("bob", 2), Self.exposure("<b>kim", 3, project: "9"),
            Array(#"{"project_id":"100300","visitors":[{"visitor_id":""}]}"#.utf8),
        ])
        let page = try await page(shop)
        #expect(page.contains("4, of which 1 could not be processed"))
        #expect(page.contains("<bdi>checkout_redesign</bdi> as <span class=\"named\">"))
        #expect(page.contains("did <bdi>purchase</bdi>, revenue 4,250, value 42.5"))
        #expect(page.contains("Not processed: the visitor has no id") && page.contains("python-sdk 5.7.0"))
        #expect(page.contains("set aside: no datafile has the project 9") && page.contains("&lt;b&gt;kim"))
        let found = try await self.page(shop, "user=ada&flag=checkout&event=exposure")
        #expect(found.contains("1 of them match") && !found.contains("bob"))
        #expect(try await self.page(shop, "event=purchase").contains("<bdi>bob</bdi>"))
        // Only a form names a user.
        #expect(await shop.response("GET", "/console/live?user=ada", [:]).text.contains("<bdi>bob</bdi>"))
        await shop.server.stop(immediately: true)
    }

    @Test func programsReadThemUnlessTheyAreForgotten() async throws {
        let shop = try await server(after: [Self.exposure("ada", 1), Self.purchase("bob", 2)])
        func kinds(_ query: String = "") async throws -> [JSONValue?] {
            let response = await shop.response("GET", "/events/recent" + query, [:])
            #expect(response.headers["Cache-Control"] == "no-store")
            guard case .array(let events)? = try response.json["events"] else { return [] }
            return events.map { $0["kind"] }
        }
        #expect(try await kinds() == [.string("conversion"), .string("exposure")])
        #expect(try await kinds("?flag=checkout_redesign") == [.string("exposure")])
        #expect(try await kinds("?event=purchase") == [.string("conversion")])
        #expect(await shop.response("POST", "/users/forget", [:], body: #"{"user_id":"bob"}"#).status == 200)
        #expect(try await kinds() == [.string("exposure")])
        try await send((3...30).map { EventBodies.ten($0) }, to: shop)
        #expect(try await kinds().count == 200)
        await shop.server.stop(immediately: true)
    }

    @Test func aStreamHasTheNewOnesThatAreWanted() async throws {
        let shop = try await server(after: [Self.exposure("ada", 1), Self.exposure("bob", 2)])
        let token = try Self.token(in: try await page(shop))
        let stream = await shop.response("POST", "/console/live/events", [:], body: "user=ada&" + token)
        #expect(stream.headers["Content-Type"] == "text/event-stream")
        let first = stream.streamed
        #expect(first.hasPrefix("event: all\ndata: <tr>") && first.contains("ada") && !first.contains("bob"))
        try await send([Self.exposure("bob", 3)], to: shop)
        #expect(!stream.streamed.contains("<tr>"))
        try await send([Self.purchase("ada", 4)], to: shop)
        #expect(stream.streamed.contains("did <bdi>purchase</bdi>"))
        // Without tokens, this machine could read. Now it has to sign in.
        shop.server.use([try AccessTests.token("new", [.events])])
        try await send([Self.purchase("ada", 5)], to: shop)
        #expect(!stream.streamed.contains("<tr>"))
        let refused = await shop.response("POST", "/console/live/events", [:], body: "user=ada&" + token)
        #expect(refused.status == 403)
        #expect(await shop.response("GET", "/console/live", [:]).status == 401)
        #expect(await shop.response("GET", "/events/recent", [:]).status == 401)
        await shop.server.stop(immediately: true)
    }
}
