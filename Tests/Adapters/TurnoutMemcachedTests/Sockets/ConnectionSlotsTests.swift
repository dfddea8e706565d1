import TurnoutSockets

@Suite struct ConnectionSlotsTests {
    @Test func callersWaitForASlotUntilTheirDeadline() {
        let slots = ConnectionSlots<Int>(limit: 1)
        #expect(slots.acquire(until: .now), "a free slot needs no time")
        #expect(!slots.acquire(until: .now.advanced(by: .milliseconds(1))))
        BlockingCall.start { slots.release() }
        #expect(slots.acquire(until: .now.advanced(by: waitLimit)))
    }

    @Test func theLastUsedConnectionIsReusedFirst() {
        let slots = ConnectionSlots<Int>(limit: 3)
        for connection in 1...3 { slots.keep(connection) }
        #expect(slots.takeIdle()?.connection == 3)
        slots.closeIdle()
        #expect(slots.takeIdle() == nil)
    }

    /// The callers that have a slot, and the most at a time.
    private final class Tally: Sendable { let counts = Locked((running: 0, most: 0)) }

    @Test func noMoreCallersThanSlotsRun() async {
        let (slots, tally) = (ConnectionSlots<Int>(limit: 3), Tally())
        await concurrently(0..<50) { _ in
            await BlockingCall.value {
                #expect(slots.acquire(until: .now.advanced(by: waitLimit)))
                tally.counts.withLock { $0 = ($0.running + 1, max($0.most, $0.running + 1)) }
                tally.counts.withLock { $0.running -= 1 }
                slots.release()
            }
        }
        #expect((1...3).contains(tally.counts.withLock { $0.most }))
    }
}
