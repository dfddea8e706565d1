/// What happened to events that will never arrive: how many were given up, and why.
///
/// Nothing is given up silently. The counts only grow, and are reported in the log with the next events that arrive.
public struct EventLosses: Sendable, Equatable, CustomStringConvertible {
    /// Why an event was given up.
    public enum Reason: String, Sendable, CaseIterable {
        /// Too many were waiting already.
        case noRoom = "no room"
        /// The store could not keep it, and there was no room in memory either.
        case notStored = "not stored"
        /// The receiver does not want this very event.
        case refused
        /// The datafile names nobody who wants it.
        case noReceiver = "no receiver"
        /// It waited longer than ``EventOptions/maximumAge``.
        case tooOld = "too old"
        /// The store's copy was damaged.
        case damaged
    }

    private var counts: [Reason: Int] = [:]

    /// Nothing was given up.
    public init() {}

    /// How many events were given up for a reason.
    public internal(set) subscript(reason: Reason) -> Int {
        get { counts[reason] ?? 0 }
        set { counts[reason] = newValue == 0 ? nil : newValue }
    }

    /// How many events were given up in all.
    public var total: Int { counts.values.reduce(0, +) }

    /// Adds to a count.
    package mutating func add(_ count: Int, _ reason: Reason) { self[reason] += count }

    /// The sum of two ledgers.
    public static func + (left: EventLosses, right: EventLosses) -> EventLosses {
        var sum = left
        for (reason, count) in right.counts { sum[reason] += count }
        return sum
    }

    /// What was added since an earlier ledger.
    package func since(_ earlier: EventLosses) -> EventLosses {
        var difference = EventLosses()
        for reason in Reason.allCases { difference[reason] = self[reason] - earlier[reason] }
        return difference
    }

    /// The counts in words: `3 no room, 1 refused`; `none` if there are none.
    public var description: String {
        let parts = Reason.allCases.filter { self[$0] != 0 }.map { "\(self[$0]) \($0.rawValue)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

/// The losses of one client, which several parts of it add to.
final class EventLedger: Sendable {
    private let state = Locked(EventLosses())

    /// What was given up so far.
    var losses: EventLosses { state.withLock { $0 } }

    /// Adds to the losses, and returns how many there are now in all.
    @discardableResult
    func add(_ count: Int, _ reason: EventLosses.Reason) -> Int {
        state.withLock { losses in
            losses.add(count, reason)
            return losses.total
        }
    }
}
