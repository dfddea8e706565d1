// ThreadSanitizer ends a forked child that starts threads.
#if os(Linux) && !THREAD_SANITIZER
    import Dispatch
    import Foundation

    /// A child process created by `fork` has one thread, and copies of its parent's memory.
    @Suite struct ForkTests {
        @Test func aForkedChildHasItsOwnThreadsAndBuffers() async {
            await #expect(processExitsWith: .success) {
                // An idle thread, and a queued event.
                await BlockingCall.value {}
                let store = MemoryEventStore()
                let group = OutgoingEvent.Group(region: .us, envelope: "{")
                try store.append(OutgoingEvent(group: group, visitor: []))
                let behind = WriteBehindProfileStore(MemoryProfileStore(), log: .silent)
                let child = try #require(forked())
                if child == 0 { _exit(problems(store, behind)) }
                waitForSuccess(of: child)
                #expect(store.count == 1)
            }
        }

        @Test func aForkedChildDoesNotRepeatRandomNumbers() async {
            await #expect(processExitsWith: .success) {
                // Numbers in reserve.
                let random = SystemRandomSource()
                _ = random.next()
                var ends: [Int32] = [-1, -1]
                try #require(pipe(&ends) == 0)
                let child = try #require(forked())
                var number = random.next()
                if child == 0 { _exit(write(ends[1], &number, 8) == 8 ? 0 : 1) }
                waitForSuccess(of: child)
                var other: UInt64 = 0
                #expect(read(ends[0], &other, 8) == 8 && other != number)
            }
        }
    }

    private func problems(_ store: MemoryEventStore, _ behind: WriteBehindProfileStore) -> Int32 {
        var problems: Int32 = store.count == 0 ? 0 : 1
        let isCalled = DispatchSemaphore(value: 0)
        BlockingCall.start { isCalled.signal() }
        if isCalled.wait(timeout: .now() + .seconds(5)) != .success { problems |= 2 }
        if (try? behind.save(["1": "2"], for: "ada")) == nil { problems |= 4 }
        for _ in 0..<5_000 where behind.waitingCount > 0 { usleep(1_000) }
        if behind.waitingCount > 0 { problems |= 8 }
        return problems
    }
#endif
