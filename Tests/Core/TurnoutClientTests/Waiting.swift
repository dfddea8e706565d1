import Dispatch
import TestSupport
import Testing
import TurnoutClient

/// Blocks threads until it is opened, at most for ``waitLimit``.
final class Turnstile: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isUsed = Locked(false)

    func pass() {
        #expect(semaphore.wait(timeout: .now() + .seconds(Int(waitLimit / .seconds(1)))) == .success, "opened in time")
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
