public import Testing
import TurnoutClient

/// Checks that a clock fulfills its contract.
///
/// An implementation must guarantee that
/// - time never goes back;
/// - a sleep never ends before its deadline, even when many tasks sleep at once;
/// - a sleep until a past deadline returns at once;
/// - a sleep ends with `CancellationError` when its task is canceled, before or during it.
///
/// - Parameters:
///   - sourceLocation: Where failures are reported.
///   - make: Creates a clock.
///   - advance: Advances the time of manual clocks. Called repeatedly. Default: does nothing.
/// - Throws: Unexpected errors of the implementation.
public func checkClock<C: Clock>(
    sourceLocation: SourceLocation = #_sourceLocation, _ make: () async throws -> C,
    advance: @escaping @Sendable (C, Duration) async -> Void = { _, _ in }
) async throws where C.Duration == Duration {
    let clock = try await make()
    let times = Task {
        while !Task.isCancelled {
            await advance(clock, .milliseconds(1))
            await Task.yield()
        }
    }
    defer { times.cancel() }
    try await checkSleeping(on: clock, sourceLocation)
    await checkCancellation(on: clock, sourceLocation)
}

private func checkSleeping<C: Clock>(
    on clock: C, _ location: SourceLocation
) async throws where C.Duration == Duration {
    let before = clock.now
    try await clock.sleep(until: before, tolerance: nil)
    #expect(clock.now >= before, "time never goes back", sourceLocation: location)
    try await withThrowingTaskGroup { group in
        for number in 0..<16 {
            group.addTask {
                let deadline = clock.now.advanced(by: .milliseconds(1 + number % 4))
                try await clock.sleep(until: deadline, tolerance: nil)
                #expect(clock.now >= deadline, "a sleep does not end early", sourceLocation: location)
            }
        }
        try await group.waitForAll()
    }
    #expect(clock.now > before, "time passes", sourceLocation: location)
}

private func checkCancellation<C: Clock>(on clock: C, _ location: SourceLocation) async where C.Duration == Duration {
    for cancelsAtOnce in [true, false] {
        let sleeper = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)), tolerance: nil) }
        if !cancelsAtOnce { for _ in 0..<20 { await Task.yield() } }
        sleeper.cancel()
        await #expect(throws: CancellationError.self, "a canceled sleep ends at once", sourceLocation: location) {
            try await sleeper.value
        }
    }
}
