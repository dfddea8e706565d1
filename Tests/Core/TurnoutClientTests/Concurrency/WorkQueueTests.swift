@Suite struct WorkQueueTests {
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
}
