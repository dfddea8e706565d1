import TestSupport
import Testing
import TurnoutClient

@Suite struct ChangeSignalTests {
    private let signal = ChangeSignal()

    @Test func observersAreCalledUntilTheyAreRemoved() {
        let calls = Locked(0)
        let id = signal.add { calls.withLock { $0 += 1 } }
        signal.send()
        signal.send()
        #expect(calls.withLock { $0 } == 2)
        signal.remove(id)
        signal.send()
        #expect(calls.withLock { $0 } == 2)
    }

    @Test func streamsBeginAtOnceAndCombineChangesThatWereNotSeen() async {
        let other = ChangeSignal()
        var changes = ChangeSignal.changes(of: [signal, other]).makeAsyncIterator()
        #expect(await changes.next() != nil)
        signal.send()
        other.send()
        signal.send()
        #expect(await changes.next() != nil)
        // The three changes were one element, so this ends the stream.
        other.finish()
        #expect(await changes.next() == nil)
    }

    @Test func streamsOfAFinishedSignalEndAfterTheirFirstElement() async {
        signal.finish()
        #expect(await count(ChangeSignal.changes(of: [signal])) == 1)
        signal.reopen()
        var changes = ChangeSignal.changes(of: [signal]).makeAsyncIterator()
        #expect(await changes.next() != nil)
        signal.send()
        #expect(await changes.next() != nil)
    }

    @Test func streamsDoNotRetainTheirSignal() async {
        var released: ChangeSignal? = ChangeSignal()
        let changes = ChangeSignal.changes(of: [released].compactMap(\.self))
        released = nil
        #expect(await count(changes) == 1)
    }

    private func count(_ changes: AsyncStream<Void>) async -> Int {
        var count = 0
        for await _ in changes { count += 1 }
        return count
    }
}
