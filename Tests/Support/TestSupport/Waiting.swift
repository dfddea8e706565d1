import TurnoutClient

/// The error of a wait that timed out.
package struct WaitTimeout: Error, CustomStringConvertible {
    /// The awaited condition.
    package let description: String
}

/// How long tests wait for what should happen at once: 30 seconds, because other tests compete for the same threads.
package let waitLimit = Duration.seconds(30)

/// Waits until a condition is true. Polls less and less often, to leave the processor to other tests.
///
/// - Throws: ``WaitTimeout`` after ``waitLimit``.
package func wait(_ what: String, until isTrue: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: waitLimit)
    var pause = Duration.milliseconds(1)
    while try await !isTrue() {
        guard ContinuousClock.now < deadline else { throw WaitTimeout(description: what) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}

/// Runs a blocking call on a thread that nothing else waits for.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        BlockingCall.start { continuation.resume(with: Result { try body() }) }
    }
}
