import Foundation

@Suite struct WorkThreadTests {
    @Test func workHasItsOwnThread() async throws {
        let threads = Collected<ObjectIdentifier>()
        let latch = Latch()
        for _ in 0..<20 {
            WorkThread.run {
                threads.add(ObjectIdentifier(Thread.current))
                latch.pass()
            }
        }
        try await wait("all of them run at once") { threads.count == 20 }
        #expect(Set(threads.all).count == 20)
        latch.open()
    }

    @Test func anIdleThreadIsReused() async throws {
        let threads = Collected<ObjectIdentifier>()
        try await wait("a thread works twice") {
            let done = OneShot<Void>()
            let isStarted = WorkThread.start {
                threads.add(ObjectIdentifier(Thread.current))
                done.end(())
            }
            #expect(isStarted)
            _ = await done.value()
            return Set(threads.all).count < threads.count
        }
    }

    // MARK: Work queue

    private actor Worker {
        private let queue = WorkQueue("turnout.test")
        nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }
        private(set) var sum = 0

        func add(_ number: Int) { sum += number }
        func block(_ latch: Latch, _ begun: Collected<Int>) {
            begun.add(1)
            latch.pass()
        }
    }

    @Test func jobsRunOneAfterTheOther() async {
        let worker = Worker()
        await concurrently(1...1_000) { number in await worker.add(number) }
        #expect(await worker.sum == 500_500)
    }

    @Test func blockedActorsDelayNoOtherTasks() async throws {
        let (latch, begun) = (Latch(), Collected<Int>())
        let blocked = (0..<16).map { _ in Task { await Worker().block(latch, begun) } }
        try await wait("all are blocked") { begun.count == 16 }
        await concurrently(0..<100) { _ in await Task.yield() }
        latch.open()
        for task in blocked { await task.value }
    }

    // MARK: Calling thread

    @Test func numbersOfThreadsDifferInTheirLowBits() async throws {
        let numbers = Collected<Int>()
        let latch = Latch()
        for _ in 0..<64 {
            WorkThread.run {
                let number = CallingThread.number
                latch.pass()
                #expect(CallingThread.number == number)
                numbers.add(number)
            }
        }
        latch.open()
        try await wait("all threads") { numbers.count == 64 }
        // About 40 of 64 stripes would be random.
        #expect(Set(numbers.all.map { $0 & 63 }).count > 16)
    }

    @Test func fingerprintsSelectShardsByTheLowBits() {
        #expect(CallingThread.fingerprint >> 48 == UInt64(truncatingIfNeeded: CallingThread.number) & 0xFFFF)
    }

    // MARK: FIFO

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
