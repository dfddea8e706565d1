import Testing
import TurnoutClient

/// The code of "First steps" works as described.
@Suite struct FirstStepsTests {
    @Test func aDecisionAndAConversion() throws {
        let datafile = shop
        let client = try FlagClient(datafile: datafile)

        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
        let checkout = ada.decide("checkout_redesign")
        let steps = checkout.variables.integer("steps") ?? 3
        #expect(checkout.isEnabled && steps == 1)

        try ada.track("purchase", tags: ["revenue": 4250])

        let newer = datafile
        let isNewer = try client.update(to: newer)
        #expect(!isNewer)
    }

    @Test func attributesFromVariables() throws {
        let client = try FlagClient(datafile: shop)
        let (id, country, orders, isVIP) = ("grace", "US", 12, true)

        let grace = client.user(
            id, attributes: ["country": .init(country), "orders": .init(orders), "vip": .init(isVIP)])

        #expect(grace.attributes["orders"] == 12 && grace.attributes["vip"] == true)
        #expect(grace.description == "user grace with country, orders, vip")
    }

    @Test func aClientThatDownloadsDatafiles() async throws {
        let source = MemoryDatafileSource(shop)

        var configuration = ClientConfiguration()
        configuration.datafiles = source
        configuration.pollingInterval = .seconds(300)
        let client = FlagClient(configuration)
        try await client.start()

        #expect(client.project?.revision == "42")

        await client.close()
    }

    @Test func decisionsWithALimit() async throws {
        let client = try FlagClient(datafile: shop)
        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])

        let banner = await ada.decide("loyalty_banner", within: .milliseconds(300))

        #expect(banner.flagKey == "loyalty_banner")
    }

    @Test func listeners() async throws {
        let client = try FlagClient(datafile: shop)

        client.addListener(to: .datafileChanges) { notification in
            if case .datafileChange(let project) = notification { print("deciding by revision", project.revision) }
        }

        await client.close()
    }
}
