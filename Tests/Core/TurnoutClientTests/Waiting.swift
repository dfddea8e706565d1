import Dispatch
import TestSupport
import Testing
import TurnoutClient

/// Lets other tasks run until a condition is true, and reports an issue after ``waitLimit``.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isTrue: () async -> Bool
) async {
    let clock = ContinuousClock()
    let deadline = clock.now.advanced(by: waitLimit)
    while await !isTrue() {
        guard clock.now < deadline else {
            Issue.record(what, sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .microseconds(200))
    }
}

/// Blocks threads until it is opened.
final class Turnstile: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isUsed = Locked(false)

    func pass() {
        semaphore.wait()
        semaphore.signal()
    }

    func open() { semaphore.signal() }

    /// Whether ``holdUpFirst()`` was called.
    var hasHeldUp: Bool { isUsed.withLock { $0 } }

    /// Blocks only the first caller.
    func holdUpFirst() {
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        if isFirst { pass() }
    }
}

/// A random source that always returns the middle.
struct MidpointRandomSource: RandomSource {
    func next() -> UInt64 { 1 << 63 }
}

/// An error that tests throw.
struct TestError: Error, Equatable {}
