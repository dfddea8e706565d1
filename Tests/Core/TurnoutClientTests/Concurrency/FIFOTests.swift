@Suite struct FIFOTests {
    private static func rest(of queue: FIFO<Int>) -> [Int] {
        var (queue, elements) = (queue, [Int]())
        while let element = queue.popFirst() { elements.append(element) }
        return elements
    }

    @Test func elementsLeaveInTheOrderOfArrival() {
        var queue = FIFO<Int>()
        let none = queue.popFirst()
        #expect(none == nil)
        for number in 0..<4 { queue.append(number) }
        let first = queue.popFirst()
        #expect(first == 0)
        queue.append(4)
        #expect(queue.count == 4)
        #expect(Self.rest(of: queue) == [1, 2, 3, 4])
    }

    @Test(arguments: 1..<5) func anyElementCanBeRemoved(_ wanted: Int) {
        var queue = FIFO<Int>()
        for number in 0..<3 { queue.append(number) }
        _ = queue.popFirst()
        // Two elements are old, and two are new.
        for number in 3..<5 { queue.append(number) }
        let removals = (0..<2).map { _ in queue.remove { $0 == wanted } }
        #expect(removals == [true, false])
        #expect(Self.rest(of: queue) == [1, 2, 3, 4].filter { $0 != wanted })
    }
}
