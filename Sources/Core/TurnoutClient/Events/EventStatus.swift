/// The state of an event queue and its delivery. The counts only grow.
public struct EventStatus: Sendable, Equatable {
    /// The number of queued events, including those of other clients that share the store.
    public internal(set) var waiting = 0
    /// The number of events that this client delivered.
    public internal(set) var delivered = 0
    /// The number of requests that failed or were refused.
    public internal(set) var failedRequests = 0
    /// The events that were given up, by reason.
    public internal(set) var lost = EventLosses()
    /// Why the last request failed; nil if events were delivered since. Contains no personal data and no secrets.
    public internal(set) var lastError: String?

    /// Creates the status of an unused queue.
    package init() {}

    /// The status of two queues together.
    package static func + (left: EventStatus, right: EventStatus) -> EventStatus {
        var sum = left
        sum.waiting += right.waiting
        sum.delivered += right.delivered
        sum.failedRequests += right.failedRequests
        sum.lost = left.lost + right.lost
        sum.lastError = left.lastError ?? right.lastError
        return sum
    }
}

extension EventStatus: CustomStringConvertible {
    /// The status in one line: `3 waiting, 120 delivered, lost: 2 no room`.
    public var description: String { "\(waiting) waiting, \(delivered) delivered, lost: \(lost)" }
}

/// Counts deliveries, and keeps the last failure.
package final class DeliveryMonitor: Sendable {
    private let state = Locked(EventStatus())
    private let changes: ChangeSignal

    /// Creates a monitor. `changes` is sent when the last failure changes.
    package init(changes: ChangeSignal) { self.changes = changes }

    /// The status, without the queued and lost events.
    var status: EventStatus { state.withLock { $0 } }

    /// Records a report of the deliverer.
    package func record(_ report: DeliveryReport) {
        let isChanged = state.withLock { status in
            let earlier = status.lastError
            if case .delivered(let count) = report {
                status.delivered += count
                status.lastError = nil
            }
            if let failure = report.failure {
                status.failedRequests += 1
                status.lastError = failure
            }
            return status.lastError != earlier
        }
        if isChanged { changes.send() }
    }
}

extension DeliveryReport {
    /// Why a request failed, or nil for other reports. Repeated failures for the same reason have the same text.
    fileprivate var failure: String? {
        switch self {
        case .attemptFailed(_, _, let cause, _): "events could not be delivered: \(cause)"
        case .misconfigured(let address, let status, _):
            "\(Self.host(of: address)) does not accept events: status \(status)"
        case .badAddress(let address, let cause): "events for \(Self.host(of: address)) cannot be sent: \(cause)"
        case .refusesEverything(let address, let status, _, _):
            "\(Self.host(of: address)) refuses all events: status \(status)"
        case .delivered, .refused, .rejected, .acceptedAgain: nil
        }
    }
}
