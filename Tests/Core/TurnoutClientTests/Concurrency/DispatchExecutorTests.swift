@Suite struct DispatchExecutorTests {
    @Test func moreTasksThanThreadsAllRun() async {
        let done = Collected<Int>()
        await withTaskGroup { group in
            for number in 0..<200 {
                group.addTask(executorPreference: DispatchExecutor.blockingCallers) {
                    await Task.yield()
                    done.add(number)
                }
            }
        }
        #expect(done.all.sorted() == Array(0..<200))
    }

    @Test func blockedThreadsDoNotDelayOtherTasks() async throws {
        let blocked = Latch()
        let started = Collected<Int>()
        let blockers = (0..<8).map { number in
            Task(executorPreference: DispatchExecutor.blockingCallers) {
                started.add(number)
                blocked.pass()
            }
        }
        try await wait("eight threads are blocked") { started.count == 8 }
        let done = Collected<Int>()
        await withTaskGroup { group in
            for number in 0..<1_000 {
                group.addTask(executorPreference: DispatchExecutor.blockingCallers) {
                    await Task.yield()
                    done.add(number)
                }
            }
        }
        #expect(done.count == 1_000)
        blocked.open()
        for blocker in blockers { await blocker.value }
    }
}
