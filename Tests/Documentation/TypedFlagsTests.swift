import TurnoutTestKit

/// The code of "Typed flags" works, with the `Flags` of the shop.
@Suite struct TypedFlagsTests {
    @Test func aFlagHasTypedVariables() throws {
        let client = try FlagClient(datafile: shop)

        let flags = Flags(client)
        let checkout = flags.checkoutRedesign(for: client.user("ada", attributes: ["country": "US", "orders": 12]))

        if checkout.isEnabled {
            print("show", checkout.layout, "in", checkout.steps, "steps")  // a String and an Int
        }

        #expect(checkout.isEnabled)
        #expect(checkout.layout == "one_page" && checkout.steps == 1 && checkout.expressPay)
        #expect(checkout.decision.ruleKey == "checkout_test")
    }

    @Test func aVariationIsACase() throws {
        let client = try FlagClient(datafile: shop)
        let ada = client.user("ada", attributes: ["country": "US", "orders": 12])
        let checkout = Flags(client).checkoutRedesign(for: ada)

        switch checkout.variation {
        case .onePage: print("one page")
        case .twoStep, .control: print("several pages")
        case nil: print("no variation, or one that the code does not know")
        }

        #expect(checkout.variation == .onePage)
        // Held out globally.
        let marie = client.user("marie", attributes: ["country": "US", "orders": 12])
        let none = Flags(client).checkoutRedesign(for: marie)
        #expect(none.decision.variationKey == "untouched" && none.variation == nil)
    }

    @Test func withoutADatafileTheValuesAreTheDefaults() async {
        let client = FlagClient()
        let flags = Flags(client)
        let ada = client.user("ada")

        let checkout = await flags.checkoutRedesign(for: ada, within: .seconds(5))
        #expect(!checkout.isEnabled && checkout.variation == nil)
        #expect(checkout.layout == "classic" && checkout.steps == 3 && !checkout.expressPay)
        #expect(flags.searchRanking(for: ada).ratingBoost == 1)
        #expect(flags.recommendations(for: ada).places == ["home": .bool(true), "cart": .bool(false)])
    }

    @Test func eachCallDecidesOnceWithItsEffects() throws {
        let sent = RecordedEvents()
        var configuration = ClientConfiguration()
        configuration.eventStore = sent
        configuration.transport = MemoryTransport()
        let client = try FlagClient(datafile: shop, configuration)

        let checkout = Flags(client).checkoutRedesign(
            for: client.user("ada", attributes: ["country": "US", "orders": 12]))
        #expect(checkout.isEnabled && checkout.steps == 1 && checkout.variation == .onePage)
        #expect(sent.impressions.map(\.flagKey) == ["checkout_redesign"])
    }

    @Test func aDecisionIsReadWithTheType() throws {
        let ada = try FlagClient(datafile: shop).user("ada", attributes: ["country": "US", "orders": 12])
        let decisions = ada.decideAll()
        #expect(decisions[Flags.CheckoutRedesign.key].map(Flags.CheckoutRedesign.init)?.steps == 1)
    }
}
