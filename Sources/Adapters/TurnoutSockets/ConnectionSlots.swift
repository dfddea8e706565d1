import Dispatch
import TurnoutClient

/// A bounded number of connections to one server, with the idle ones kept for reuse.
package final class ConnectionSlots<Connection: Sendable>: Sendable {
    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    private let free = DispatchSemaphore(value: 0)
    /// A stack: the most recently used connection is reused first, so surplus ones expire.
    private let idle = Locked<[Idle]>([])

    /// - Parameter limit: The most connections at a time.
    package init(limit: Int) {
        // Dispatch requires that a semaphore's final value is not below its initial one.
        for _ in 0..<limit { free.signal() }
    }

    /// Waits for a free slot. The caller must call ``release()`` afterwards.
    ///
    /// - Returns: True if there is a slot; false if the deadline has passed.
    package func acquire(until deadline: ContinuousClock.Instant) -> Bool {
        if free.wait(timeout: .now()) == .success { return true }
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        return free.wait(timeout: .now() + .nanoseconds(left.wholeNanoseconds)) == .success
    }

    package func release() { free.signal() }

    /// Takes the most recently used idle connection, and returns how long it was idle.
    package func takeIdle() -> (connection: Connection, unusedFor: Duration)? {
        idle.withLock { $0.popLast() }.map { ($0.connection, $0.since.duration(to: .now)) }
    }

    /// Keeps a connection that works.
    package func keep(_ connection: Connection) {
        idle.withLock { $0.append(Idle(connection: connection, since: .now)) }
    }

    /// Closes the idle connections: when one has broken, the others usually have, too.
    package func closeIdle() {
        _ = idle.withLock { idle in
            defer { idle.removeAll() }
            return idle
        }
    }
}
