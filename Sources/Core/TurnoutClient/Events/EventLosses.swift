/// The number of events that were given up and will not arrive, by reason.
///
/// No event is dropped without being counted. The counts only grow, and are logged with the next delivered events.
public struct EventLosses: Sendable, Equatable, CustomStringConvertible {
    /// Why an event was given up.
    public enum Reason: String, Sendable, CaseIterable {
        /// The queue was full.
        case noRoom = "no room"
        /// The store could not write it, and there was no room in memory either.
        case notStored = "not stored"
        /// The receiver refused this event and accepted others.
        case refused
        /// The datafile has no receiver for it.
        case noReceiver = "no receiver"
        /// It was older than ``EventOptions/maximumAge``.
        case tooOld = "too old"
        /// The store's copy was damaged.
        case damaged
    }

    private var counts: [Reason: Int] = [:]

    /// Creates empty counts.
    public init() {}

    /// The number of events that were given up for a reason.
    public internal(set) subscript(reason: Reason) -> Int {
        get { counts[reason] ?? 0 }
        set { counts[reason] = newValue == 0 ? nil : newValue }
    }

    /// The total number of events that were given up.
    public var total: Int { counts.values.reduce(0, +) }

    package mutating func add(_ count: Int, _ reason: Reason) { self[reason] += count }

    /// The sum of two counts.
    public static func + (left: EventLosses, right: EventLosses) -> EventLosses {
        var sum = left
        for (reason, count) in right.counts { sum[reason] += count }
        return sum
    }

    /// The difference from earlier counts.
    package func since(_ earlier: EventLosses) -> EventLosses {
        var difference = EventLosses()
        for reason in Reason.allCases { difference[reason] = self[reason] - earlier[reason] }
        return difference
    }

    /// The counts as text: `3 no room, 1 refused`; `none` if there are none.
    public var description: String {
        let parts = Reason.allCases.filter { self[$0] != 0 }.map { "\(self[$0]) \($0.rawValue)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

/// The losses of one client, which several of its components add to.
final class EventLossCounter: Sendable {
    private let state = Locked(EventLosses())

    var losses: EventLosses { state.withLock { $0 } }

    /// Adds to the losses, and returns the new total.
    @discardableResult
    func add(_ count: Int, _ reason: EventLosses.Reason) -> Int {
        state.withLock { losses in
            losses.add(count, reason)
            return losses.total
        }
    }
}
