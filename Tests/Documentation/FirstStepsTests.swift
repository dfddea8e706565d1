import Foundation
import TurnoutTestKit

/// The code of "First steps" works as described.
@Suite struct FirstStepsTests {
    @Test func aDecisionAndAConversion() throws {
        let client = try FlagClient(datafileAt: "Examples/Shop/datafile.json")

        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
        if ada.isEnabled("checkout_redesign") { print("show the new checkout") }
        let steps = ada.value("checkout_redesign", "steps", default: 3)
        #expect(ada.isEnabled("checkout_redesign") && steps == 1)

        struct Places: Decodable {
            let home, cart: Bool
        }
        let places = ada.value("recommendations", "places", default: Places(home: false, cart: false))
        #expect(places.home)

        let checkout = ada.decide("checkout_redesign")
        print(checkout.variationKey ?? "none", checkout.variables.integer("steps") ?? 3)
        #expect(checkout.variationKey == "one_page")

        try ada.track("purchase", tags: ["revenue": 4250])

        let newer = shop
        let isNewer = try client.update(to: newer)
        #expect(!isNewer)
    }

    @Test func variablesWithTypesOfFoundation() throws {
        let content: AttributeValue = ["link": "https://example.com/sale", "price": 1.5]
        let client = FlagClient.scripted(Script(.always("banner", "a", variables: ["content": content])))
        let ada = client.user("ada")

        struct Banner: Decodable {
            let link: URL
            let price: Decimal
        }
        let decision = ada.decide("banner")
        let banner = try JSONDecoder().decode(Banner.self, from: Data(decision.variables.jsonBytes("content") ?? []))

        #expect(banner.link.host() == "example.com" && banner.price == 1.5)
    }

    @Test func attributesFromVariables() throws {
        let client = try FlagClient(datafile: shop)
        let (country, orders): (String?, Int?) = ("US", nil)

        enum Plan: String, AttributeConvertible { case free, gold }
        let grace = client.user("grace", attributes: ["country": country, "orders": orders, "plan": Plan.gold])

        #expect(grace.attributes["country"] == "US" && grace.attributes["plan"] == "gold")
        #expect(grace.attributes["orders"] == nil)
    }

    @Test func followedDecisions() async throws {
        let client = try FlagClient(datafile: shop)
        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
        let reading = Task {
            for await checkout in ada.decisions(of: "checkout_redesign") { print(checkout) }
        }
        reading.cancel()
        await reading.value
    }

    @Test func hooks() throws {
        var configuration = ClientConfiguration()

        var hook = ClientHook()
        hook.beforeDecision = { request in request.user.attributes["region"] = "eu" }
        hook.afterDecision = { decision, _ in print(decision) }
        hook.beforeEvent = { event in
            var event = event
            event.user.attributes["email"] = nil
            return event
        }
        configuration.hooks = [hook]

        let client = try FlagClient(datafile: shop, configuration)
        #expect(client.user("ada").decide("checkout_redesign").flag != nil)
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
            if case .datafileChange(let project) = notification { print("now using revision", project.revision) }
        }

        await client.close()
    }
}
