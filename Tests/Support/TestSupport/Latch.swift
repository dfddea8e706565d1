import Dispatch
import Testing
import TurnoutClient

/// Blocks threads until it is opened, at most for ``waitLimit``. For tasks, see ``Gate``.
package final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let isUsed = Locked(false)

    /// Creates a closed latch.
    package init() {}

    /// Blocks the thread until the latch is open.
    package func pass() {
        #expect(semaphore.wait(timeout: .now() + .seconds(Int(waitLimit / .seconds(1)))) == .success, "opened in time")
        semaphore.signal()
    }

    /// Opens the latch for waiting threads and later calls.
    package func open() { semaphore.signal() }

    /// Whether ``blockFirst()`` was called.
    package var hasHeldUp: Bool { isUsed.withLock { $0 } }

    /// Blocks only the first caller.
    package func blockFirst() {
        let isFirst = isUsed.withLock { isUsed in
            defer { isUsed = true }
            return !isUsed
        }
        if isFirst { pass() }
    }
}
