import TurnoutRollouts

/// Draws, and how weights divide them.
@Suite struct RolloutDrawTests {
    @Test func drawsAreMillionths() {
        #expect(RolloutDraw.number(from: 0) == 0.000001)
        #expect(RolloutDraw.number(from: .max) == 1)
        #expect(RolloutDraw.number(from: .max / 2) == 0.5)
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func invalidDrawNumbersAreNil(number: Double) {
        #expect(RolloutDraw(variant: "a", number: number).number == nil)
    }

    @Test func variantsAreOrderedByName() {
        let variants = RolloutVariants(weights: ["b": 1, "a": 1, "c": 2, "B": 0])
        #expect(variants.names == ["B", "a", "b", "c"])
        #expect([0, 0.25, 0.5, 0.75, 1].map { variants.pick($0) } == ["a", "a", "b", "c", "c"])
    }

    @Test(arguments: [1e308, .greatestFiniteMagnitude]) func theSumOfWeightsMayOverflow(weight: Double) {
        let variants = RolloutVariants(weights: ["a": weight, "b": weight / 2, "c": weight / 2, "d": 0])
        #expect(variants.shares == ["a": 0.5, "b": 0.25, "c": 0.25, "d": 0])
        #expect([0.5, 0.6, 0.9].map { variants.pick($0) } == ["a", "b", "c"])
    }

    @Test func infiniteWeightsGiveNoVariant() {
        let variants = RolloutVariants(weights: ["a": .infinity, "b": 1])
        #expect(variants.pick(0.5) == nil && variants.shares.isEmpty)
    }
}
