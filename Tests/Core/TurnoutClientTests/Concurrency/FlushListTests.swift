import TestSupport
import Testing
import TurnoutClient

@Suite struct FlushListTests {
    private let ended = Collected<String>()

    private func end(_ name: String) -> FlushList<Int>.End {
        { [ended] in ended.add(name) }
    }

    @Test func aWaitEndsWithTheLastOfItsItems() {
        var list = FlushList<Int>()
        _ = list.add([1, 2], end("first"))
        _ = list.add([2, 3], end("second"))
        for end in list.arrived(1) { end() }
        #expect(ended.count == 0)
        for end in list.arrived(2) { end() }
        #expect(ended.all == ["first"])
        #expect(list.count == 1)
        for end in list.arrived(4) { end() }
        #expect(ended.count == 1)
        for end in list.arrived(3) { end() }
        #expect(ended.all == ["first", "second"])
        #expect(list.count == 0)
    }

    @Test func anAbandonedWaitEndsOnce() {
        var list = FlushList<Int>()
        let number = list.add([1], end("first"))
        list.remove(number)?()
        #expect(ended.all == ["first"])
        list.remove(number)?()
        for end in list.arrived(1) { end() }
        #expect(ended.count == 1)
    }

    @Test func allWaitsCanEndAtOnce() {
        var list = FlushList<Int>()
        _ = list.add([1], end("first"))
        _ = list.add([2], end("second"))
        for end in list.removeAll() { end() }
        #expect(ended.all.sorted() == ["first", "second"])
        #expect(list.count == 0)
    }
}
