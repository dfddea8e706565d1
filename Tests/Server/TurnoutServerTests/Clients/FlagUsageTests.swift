import Testing
import TurnoutClient
import TurnoutEngine
import TurnoutServer

/// How often flags are decided, and with which variations.
@Suite struct FlagUsageTests {
    private static let hour: Int64 = 3_600_000

    private func decide(_ shop: ShopServer, _ path: String = "/checkout_redesign", user: String = "ada") async {
        _ = await shop.response(
            "POST", "/ofrep/v1/evaluate/flags" + path,
            body: #"{"context":{"targetingKey":"\#(user)","country":"US","orders":12}}"#)
    }

    private func usage(_ shop: ShopServer) async throws -> JSONValue {
        try await shop.response("GET", "/flags/usage", [:]).json
    }

    @Test func decisionsAreCountedByFlagAndVariation() async throws {
        let shop = try ShopServer()
        for _ in 0..<3 { await decide(shop) }
        await decide(shop, "/unknown")
        await decide(shop, "")
        let all = try await usage(shop)
        #expect(all["since"] == .string("1970-01-01T00:16:40.000Z") && all["others"] == .integer(0))
        guard case .array(let datafiles)? = all["datafiles"], case .array(let flags)? = datafiles[0]["flags"] else {
            return #expect(Bool(false))
        }
        #expect(datafiles.count == 1 && datafiles[0]["environment"] == .string("demo") && flags.count == 7)
        let checkout = try #require(flags.first { $0["key"] == .string("checkout_redesign") })
        let hours = JSONValue.array([JSONValue](repeating: .integer(0), count: 23) + [.integer(4)])
        #expect(
            checkout["variations"]
                == .array([
                    .object([
                        "key": .string("one_page"), "total": .integer(4), "count24h": .integer(4), "hours": hours,
                        "lastSeen": .string("1970-01-01T00:16:40.000Z"),
                    ])
                ]))
        let metrics = await shop.response("GET", "/metrics", [:]).text
        let labels = #"flag="checkout_redesign",variation="one_page""#
        #expect(metrics.contains("\(labels)} 4\n") && !metrics.contains(ShopServer.key))
        #expect(metrics.contains("turnout_flag_decisions_others_total 0\n"))
    }

    @Test func hoursPass() async throws {
        let shop = try ShopServer()
        func counts() async throws -> [JSONValue?] {
            guard case .array(let datafiles)? = try await usage(shop)["datafiles"] else { return [] }
            guard case .array(let flags)? = datafiles.first?["flags"] else { return [] }
            guard case .array(let variations)? = flags.first?["variations"] else { return [] }
            return ["total", "count24h", "lastSeen"].map { variations[0][$0] }
        }
        await decide(shop)
        _ = try await usage(shop)
        shop.wallClock.set(1_000_000 + 23 * Self.hour)
        await decide(shop)
        let seen = JSONValue.string("1970-01-01T23:16:40.000Z")
        #expect(try await counts() == [.integer(2), .integer(2), seen])
        shop.wallClock.set(1_000_000 + 24 * Self.hour)
        #expect(try await counts() == [.integer(2), .integer(1), seen])
        // A clock that goes back loses nothing.
        shop.wallClock.set(0)
        #expect(try await counts()[1] == .integer(2))
        shop.wallClock.set(1_000_000 + 500 * Self.hour)
        #expect(try await counts() == [.integer(2), .integer(0), seen])
    }

    @Test func countsOutliveDatafilesAndAreLimited() throws {
        let usage = FlagUsage(limit: 3, wallClock: .fixed(0))
        let user = User("ada", attributes: ["country": "US"])
        for revision in 1...2 {
            let project = try Project(datafile: TestDatafile.shop(revision: revision))
            for _ in 0..<2 { usage.add(project.decide("checkout", for: user), of: "a") }
        }
        #expect(usage.usage(sdkKey: "a", flag: "checkout").values.map(\.total) == [4])
        #expect(usage.usage(sdkKey: "b").isEmpty)
        let project = try Project(datafile: TestDatafile.shop())
        for key in ["b", "c", "d", "d"] { usage.add(project.decide("checkout", for: user), of: key) }
        #expect(usage.sdkKeys.count == 3)
        #expect(usage.others == (usage.sdkKeys.contains("d") ? 1 : 2))
    }
}
