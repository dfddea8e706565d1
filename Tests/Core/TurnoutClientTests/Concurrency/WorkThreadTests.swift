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
}
