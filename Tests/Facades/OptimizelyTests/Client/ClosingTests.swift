import Dispatch

struct ClosingTests {
    @Test func anAssignmentThatOutlivesItsDecisionIsAwaited() async throws {
        let clock = ManualClock()
        var environment = HostEnvironment()
        environment.clock = clock
        let setup = try TestSetup(environment: environment)
        let (isSaving, end) = (OneShot<Bool>(), DispatchSemaphore(value: 0))
        setup.profiles.onCall = { [journal = setup.profiles.journal] in
            guard journal.lines.last?.hasPrefix("save") == true else { return }
            isSaving.end(true)
            end.wait()
        }
        let user = setup.user()
        let decision = Task { await user.decideAsync(key: "tested") }
        _ = await isSaving.value()
        clock.advance(by: .seconds(21))
        _ = await decision.value
        BlockingCall.start {
            usleep(100_000)
            end.signal()
        }
        await BlockingCall.value { setup.client.close() }
        #expect(!setup.profiles.assignments(of: "ada").isEmpty)
    }
}
