import Synchronization
import TurnoutClient

/// The state that all connections of a listener share.
final class ListenerService: Sendable {
    let handler: any RequestHandler
    let limits: ListenerLimits
    private let numbers = Locked(ListenerCounts())
    private let bodySize = Atomic<Int>(0)
    private let draining = Atomic<Bool>(false)
    /// The shortest time between two checks of all deadlines, in milliseconds: a tenth of the shortest limit.
    let interval: Int64

    init(_ handler: any RequestHandler, _ limits: ListenerLimits) {
        self.handler = handler
        self.limits = limits
        let shortest = min(limits.requestTime, limits.responseTime, limits.idleTime)
        interval = max(10, min(1_000, Int64(shortest / .milliseconds(10))))
    }

    // MARK: Counts

    /// The counts, without the number of open connections.
    var counts: ListenerCounts { numbers.withLock { $0 } }

    func count(_ number: any WritableKeyPath<ListenerCounts, Int> & Sendable, by count: Int = 1) {
        numbers.withLock { $0[keyPath: number] += count }
    }

    // MARK: Bodies that are being received

    /// Reserves memory for a part of a body. Returns false if too much is reserved.
    func reserveBody(_ count: Int) -> Bool {
        let sum = bodySize.wrappingAdd(count, ordering: .relaxed).newValue
        if sum > limits.bodyMemory { bodySize.wrappingSubtract(count, ordering: .relaxed) }
        return sum <= limits.bodyMemory
    }

    /// The body was handed over, or the connection has ended.
    func releaseBody(_ count: Int) { bodySize.wrappingSubtract(count, ordering: .relaxed) }

    // MARK: The end

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Makes further responses close their connections. Returns false if it was called before.
    func startDraining() -> Bool { !draining.exchange(true, ordering: .relaxed) }
}
