import OpenFeature
import Testing
import TurnoutClient
import TurnoutOpenFeature

@Suite struct ProvidingOpenFeature {
    private let client: FlagClient
    private let provider: FlagClientProvider
    private let ada = OpenFeatureEvaluationContext(
        targetingKey: "ada", fields: ["country": "US", "orders": 12, "cart_total": 42.5])

    init() throws {
        client = try FlagClient(datafile: shop, .quiet)
        provider = FlagClientProvider(client)
    }

    private func ada(variable: String) -> OpenFeatureEvaluationContext {
        var context = ada
        context.fields["variableKey"] = .string(variable)
        return context
    }

    @Test func aBooleanTellsWhetherTheFlagIsOn() async {
        let resolution = await provider.resolution(of: "checkout_redesign", defaultValue: false, context: ada)
        #expect(resolution.value)
        #expect(resolution.variant == "one_page")
        #expect(resolution.reason == .split)
        #expect(resolution.error == nil)
        #expect(resolution.flagMetadata == ["enabled": .bool(true), "ruleKey": .string("checkout_test")])
    }

    @Test func otherTypesAreVariables() async {
        let steps = await provider.resolution(of: "checkout_redesign", defaultValue: 0, context: ada(variable: "steps"))
        #expect(steps.value == 1)
        let layout = await provider.resolution(
            of: "checkout_redesign", defaultValue: "", context: ada(variable: "layout"))
        #expect(layout.value == "one_page")
        let boost = await provider.resolution(
            of: "search_ranking", defaultValue: 0.0, context: ada(variable: "rating_boost"))
        #expect(boost.value == 1)
        let places = await provider.resolution(
            of: "recommendations", defaultValue: "", context: ada(variable: "places"))
        #expect(places.value.hasPrefix("{"))
    }

    @Test func theFieldsAreAttributes() async {
        var elsewhere = ada
        elsewhere.fields["country"] = "DE"
        let resolution = await provider.resolution(of: "checkout_redesign", defaultValue: true, context: elsewhere)
        #expect(!resolution.value)
        #expect(resolution.variant == nil)
        #expect(resolution.reason == .default)
    }

    @Test func errorsReturnTheDefaultValue() async {
        let unknown = await provider.resolution(of: "no_such_flag", defaultValue: true, context: ada)
        #expect(unknown.value)
        #expect(unknown.reason == .error)
        #expect(unknown.error?.code == .flagNotFound)
        let anonymous = await provider.resolution(of: "checkout_redesign", defaultValue: true, context: nil)
        #expect(anonymous.error?.code == .targetingKeyMissing)
        let text = await provider.resolution(of: "checkout_redesign", defaultValue: 5, context: ada(variable: "layout"))
        #expect(text.value == 5)
        #expect(text.error?.code == .typeMismatch)
        let unnamed = await provider.resolution(of: "checkout_redesign", defaultValue: "none", context: ada)
        #expect(
            unnamed.error?.message == "flag checkout_redesign has no variable value; name one in the field variableKey")
        let early = await FlagClientProvider(FlagClient(.quiet)).resolution(of: "any", defaultValue: 1, context: ada)
        #expect(early.error?.code == .providerNotReady)
    }

    @Test func runStartsTheClientAndClosesItWhenCancelled() async throws {
        var configuration = ClientConfiguration.quiet
        let network = MemoryTransport()
        configuration.transport = network
        configuration.datafiles = .memory(shop)
        let client = FlagClient(configuration)
        let run = Task { try await FlagClientProvider(client).run() }
        try await wait("the datafile") { client.project != nil }
        try client.user("ada").track("purchase")
        run.cancel()
        try await run.value
        #expect(network.requests.count == 1)
    }
}
