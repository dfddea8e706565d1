import Testing
import TurnoutClient

/// The README's first example works.
@Suite struct ReadmeClientTests {
    @Test func theFirstExampleDecides() throws {
        let client = try FlagClient(datafileAt: "Examples/Shop/datafile.json")
        let ada = client.user("ada", attributes: ["country": "US", "orders": 12, "cart_total": 42.5])

        if ada.isEnabled("checkout_redesign") {
            print("show the new checkout in", ada.value("checkout_redesign", "steps", default: 3), "steps")
        }
        try ada.track("purchase", tags: ["revenue": 4250])

        #expect(ada.isEnabled("checkout_redesign"))
        #expect(ada.value("checkout_redesign", "steps", default: 3) == 1)
        #expect(ada.decide("checkout_redesign").variationKey == "one_page")
    }
}
