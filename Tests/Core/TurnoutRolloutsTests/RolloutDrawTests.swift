import Testing
import TurnoutRollouts

/// Draws, and how weights divide them.
@Suite struct RolloutDrawTests {
    @Test func drawsAreMillionths() {
        #expect(RolloutDraw.number(from: 0) == 0.000001)
        #expect(RolloutDraw.number(from: .max) == 1)
        #expect(RolloutDraw.number(from: .max / 2) == 0.5)
    }

    @Test(arguments: [-0.1, 1.1, .nan, .infinity])
    func aNumberThatNoDrawHasIsNone(number: Double) {
        #expect(RolloutDraw(variant: "a", number: number).number == nil)
    }

    @Test func variantsLieInTheOrderOfTheirNames() {
        let variants = RolloutVariants(weights: ["b": 1, "a": 1, "c": 2, "B": 0])
        #expect(variants.names == ["B", "a", "b", "c"])
        #expect([0, 0.25, 0.5, 0.75, 1].map { variants.pick($0) } == ["a", "a", "b", "c", "c"])
    }

    @Test func weightsThatAddUpToTooMuchAreNone() {
        let variants = RolloutVariants(weights: ["a": .greatestFiniteMagnitude, "b": .greatestFiniteMagnitude])
        #expect(variants.pick(0.5) == nil && variants.shares.isEmpty)
    }
}
