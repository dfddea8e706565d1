import TurnoutCodeGeneration

/// Keys become Swift names.
@Suite struct SwiftNamesTests {
    @Test(arguments: [
        ("checkout_redesign", "checkoutRedesign", "CheckoutRedesign"), ("checkout-v2", "checkoutV2", "CheckoutV2"),
        ("checkoutRedesign", "checkoutRedesign", "CheckoutRedesign"),
        ("Checkout Redesign", "checkoutRedesign", "CheckoutRedesign"),
        ("CHECKOUT_REDESIGN", "checkoutRedesign", "CheckoutRedesign"),
        ("URLCheck", "urlCheck", "UrlCheck"),
        ("prices_US", "pricesUS", "PricesUS"),
        ("1st", "_1st", "Flag1st"),
        ("größe.neu", "größeNeu", "GrößeNeu"),
        ("日本", "日本", "Flag日本"),
        ("party🎉time", "partyTime", "PartyTime"),
        ("🎉", "flag", "Flag"),
        ("", "flag", "Flag"),
    ])
    func keysAreWrittenInCamelCase(key: String, member: String, type: String) {
        let names = SwiftNames(for: [key], kind: .flag)
        #expect(names.member(key) == member)
        #expect(names.type(key) == type)
    }

    @Test func keywordsAreQuotedWhereTheyAreDeclared() {
        let names = SwiftNames(for: ["default", "search"], kind: .variation)
        #expect(names.declaration("default") == "`default`")
        #expect(names.declaration("search") == "search")
        #expect(names.member("default") == "default")
    }

    @Test func namesThatTheGeneratedCodeNeedsGetASuffix() {
        #expect(SwiftNames(for: ["client"], kind: .flag).member("client") == "clientFlag")
        #expect(SwiftNames(for: ["string"], kind: .flag).type("string") == "StringFlag")
        #expect(SwiftNames(for: ["none"], kind: .variation).member("none") == "noneVariation")
        #expect(SwiftNames(for: ["is_enabled"], kind: .variable).member("is_enabled") == "isEnabledVariable")
    }

    @Test func keysWithTheSameNameAreSpelledOut() {
        let names = SwiftNames(for: ["a_b", "a-b", "other"], kind: .flag)
        #expect(names.member("a_b") == "aB_a_5f_b")
        #expect(names.member("a-b") == "aB_a_2d_b")
        #expect(names.member("other") == "other")
    }

    @Test func theOrderOfKeysDoesNotMatter() {
        let keys = ["a_b", "a-b", "aB", "string", "string_flag", "1st", "flag_1st", "", "flag"]
        let (forward, backward) = (SwiftNames(for: keys, kind: .flag), SwiftNames(for: keys.reversed(), kind: .flag))
        for key in keys { #expect(forward.member(key) == backward.member(key)) }
    }

    @Test(arguments: 1...50)
    func everyKeyHasANameOfItsOwn(seed: UInt64) {
        var random = Generator(state: seed)
        let pieces = ["a", "b", "A", "_", "-", "5f", "1", "", "flag", "string", "client", "🎉", "é", "日"]
        let keys = Set((0..<300).map { _ in (0..<4).map { _ in pieces.randomElement(using: &random) ?? "" }.joined() })
        let names = SwiftNames(for: Array(keys), kind: .flag)
        #expect(Set(keys.map(names.member)).count == keys.count, "seed \(seed)")
        #expect(Set(keys.map(names.type)).count == keys.count, "seed \(seed)")
        #expect(Set(keys.map(names.member)).isDisjoint(with: keys.map(names.type)), "seed \(seed)")
    }

    /// A linear congruential generator: the same keys in each run.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
    }
}
