import Testing
import TurnoutClient

func decide(datafile: [UInt8]) throws {
    let client = try FlagClient(datafile: datafile)

    let ada = client.user("ada", attributes: ["country": "US", "orders": 12, "cart_total": 42.5])
    let checkout = ada.decide("checkout_redesign")

    if checkout.isEnabled {
        print("show", checkout.variationKey ?? "", "in", checkout.variables.integer("steps") ?? 3, "steps")
    }
    try ada.track("purchase", tags: ["revenue": 4250])
}

/// The README's first example works.
@Suite struct ReadmeClientTests {
    @Test func theFirstExampleDecides() throws {
        try decide(datafile: shop)
        let ada = try FlagClient(datafile: shop).user("ada", attributes: ["country": "US", "orders": 12])
        #expect(ada.decide("checkout_redesign").variationKey == "one_page")
        #expect(ada.decide("checkout_redesign").variables.integer("steps") == 1)
    }
}
