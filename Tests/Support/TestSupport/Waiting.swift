import TurnoutClient

/// What did not happen in time.
package struct WaitedInVain: Error, CustomStringConvertible {
    /// What was waited for.
    package let description: String
}

/// Waits until something is true. Looks less and less often: others need the processor, too.
///
/// - Throws: ``WaitedInVain`` after five minutes: on a busy machine, hundreds of other tests want the same few threads.
package func wait(_ what: String, until isTrue: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(300))
    var pause = Duration.milliseconds(1)
    while try await !isTrue() {
        guard ContinuousClock.now < deadline else { throw WaitedInVain(description: what) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}

/// Calls something that blocks, on a thread that nobody else waits for.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        BlockingCall.start { continuation.resume(with: Result { try body() }) }
    }
}
