/// The code of "Explaining and overriding" works as described.
@Suite struct TryingTests {
    @Test func overridesOfTheProcess() throws {
        var configuration = ClientConfiguration()
        #if DEBUG
            configuration.overrides = .fromProcess()
        #endif

        #expect(configuration.overrides == .none)
    }

    @Test func anOverrideAppliesToAllUsers() throws {
        var configuration = ClientConfiguration()
        configuration.overrides = DecisionOverrides(parsing: "checkout_redesign=two_step")
        let client = try FlagClient(datafile: shop, configuration)

        #expect(client.user("anybody").decide("checkout_redesign").variationKey == "two_step")
    }

    @Test func anOverrideAppliesToOneUser() throws {
        let client = try FlagClient(datafile: shop)

        var ada = client.user("ada")
        ada.forcedDecisions[DecisionContext(flag: "checkout_redesign")] = "two_step"

        client.forceVariation("two_step", inExperiment: "checkout_test", forUser: "eve")

        #expect(ada.decide("checkout_redesign").variationKey == "two_step")
    }
}
