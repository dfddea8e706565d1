import Foundation
import TestSupport
import Testing
import TurnoutClient

@Suite struct WorkThreadTests {
    @Test func workHasItsOwnThread() async {
        let threads = Collected<ObjectIdentifier>()
        let turnstile = Turnstile()
        for _ in 0..<20 {
            WorkThread.run {
                threads.add(ObjectIdentifier(Thread.current))
                turnstile.pass()
            }
        }
        await eventually("all of them run at once") { threads.count == 20 }
        #expect(Set(threads.all).count == 20)
        turnstile.open()
    }

    @Test func anIdleThreadIsReused() async {
        let threads = Collected<ObjectIdentifier>()
        await eventually("a thread works twice") {
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
