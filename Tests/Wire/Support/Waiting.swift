import Testing
import TurnoutClient

/// What did not happen in time.
struct WaitedInVain: Error, CustomStringConvertible {
    let description: String
}

/// Waits until something is true, at most half a minute. Looks less and less often: others need the processor, too.
func wait(_ what: String, until isTrue: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    var pause = Duration.milliseconds(2)
    while try await !isTrue() {
        guard ContinuousClock.now < deadline else { throw WaitedInVain(description: what) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}

/// Calls something that blocks, on a thread that nobody else waits for.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        BlockingCall.start { continuation.resume(with: Result { try body() }) }
    }
}
