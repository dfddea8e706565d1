import Testing
import TurnoutClient

/// Blocked destinations, apart from the rest of the delivery state.
@Suite struct DeliveryBlocksTests {
    private let group = OutgoingEvent.Group(region: .us, envelope: "{")
    private let other = OutgoingEvent.Group(region: .us, envelope: "[")

    @Test func aGroupIsBlockedByItselfItsAddressOrEverything() {
        for destination in [BlockedDestination.group(group), .address("a"), .everything] {
            var blocks = DeliveryBlocks()
            blocks.add(destination, until: .seconds(1))
            #expect(blocks.covers(group, "a"))
            #expect(blocks.covers(other, "b") == (destination == .everything))
        }
    }

    @Test func theLongerBlockRemains() {
        var blocks = DeliveryBlocks()
        blocks.add(.address("a"), until: .seconds(9))
        blocks.add(.address("a"), until: .seconds(2))
        let early = blocks.lift(at: .seconds(8))
        #expect(!early && blocks.contains(.address("a")))
        let late = blocks.lift(at: .seconds(9))
        #expect(late && blocks.destinations.isEmpty)
    }

    @Test func aFlushDoesNotShortenDelaysBetweenAttempts() {
        var blocks = DeliveryBlocks()
        blocks.add(.address("a"), until: .seconds(1), isRetry: true)
        blocks.add(.address("b"), until: nil)
        let isAnyLifted = [blocks.lift(at: .zero), blocks.liftAllButRetries(), blocks.liftAllButRetries()]
        #expect(isAnyLifted == [false, true, false])
        #expect(blocks.destinations == [.address("a")] && blocks.retries == [.address("a")])
        blocks.runEnded()
        let isLifted = blocks.liftAllButRetries()
        #expect(isLifted && blocks.destinations.isEmpty)
    }
}
