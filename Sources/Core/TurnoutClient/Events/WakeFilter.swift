import Synchronization

/// Determines whether adding an event has to wake the deliverer, without waiting for it.
final class WakeFilter: Sendable {
    /// The next step after adding an event.
    enum Wake: Sendable {
        /// Nothing: the destination is blocked, or the deliverer will read the store again.
        case notNeeded
        case now
        /// Wake it after a short delay: it may be waiting for another receiver.
        case later
    }

    private struct State {
        var isDelivering = false
        /// The groups to which events were added during a run; nil represents an unknown group.
        var missed: Set<OutgoingEvent.Group?> = []
        var blocked: Set<BlockedDestination> = []
        /// The last group whose events need no wake until the deliverer begins or ends. Nearly all events have the same
        /// group, and hashing it takes longer than the rest.
        var unneeded: OutgoingEvent.Group??
    }

    private let endpoints: EventEndpoints
    private let state = Locked(State())
    /// Read with every event, so without the lock.
    private let closed = Atomic(false)

    init(_ endpoints: EventEndpoints) { self.endpoints = endpoints }

    /// Whether the deliverer no longer starts runs by itself.
    var isClosed: Bool { closed.load(ordering: .relaxed) }
    func close() { closed.store(true, ordering: .relaxed) }

    /// Records that events were added to a group; nil for an unknown one.
    func wake(_ group: OutgoingEvent.Group?) -> Wake {
        state.withLock { state in
            if let unneeded = state.unneeded, unneeded == group { return .notNeeded }
            if state.isDelivering {
                let isFirst = state.missed.isEmpty
                state.missed.insert(group)
                state.unneeded = .some(group)
                return isFirst ? .later : .notNeeded
            }
            if isBlocked(group, by: state.blocked) {
                state.unneeded = .some(group)
                return .notNeeded
            }
            (state.isDelivering, state.unneeded) = (true, nil)
            return .now
        }
    }

    /// Records that the deliverer has started to work.
    func begin() {
        state.withLock { state in
            if !state.isDelivering { (state.isDelivering, state.unneeded) = (true, nil) }
        }
    }

    /// Records that the deliverer has nothing more to do. Returns whether it has to continue nevertheless, because
    /// sendable events were added meanwhile.
    func end(blocked: Set<BlockedDestination>) -> Bool {
        state.withLock { state in
            state.blocked = blocked
            let hasMore = state.missed.contains { !isBlocked($0, by: blocked) }
            (state.missed, state.unneeded) = ([], nil)
            state.isDelivering = hasMore
            return hasMore
        }
    }

    private func isBlocked(_ group: OutgoingEvent.Group?, by blocked: Set<BlockedDestination>) -> Bool {
        group.map { blocked.covers($0, endpoints) } ?? blocked.contains(.everything)
    }
}

/// A destination that is backing off: nothing is sent to it for a while, because sending failed.
package enum BlockedDestination: Sendable, Hashable {
    /// All destinations: the store cannot be read, or another client or process delivers its events.
    case everything
    /// An address that does not respond or is not a receiver of events, regardless of the datafile.
    case address(String)
    /// The events for one datafile or key that their receiver does not accept; it may accept others.
    case group(OutgoingEvent.Group)
}

extension Set<BlockedDestination> {
    /// Whether the destination of a group is blocked.
    func covers(_ group: OutgoingEvent.Group, _ endpoints: EventEndpoints) -> Bool {
        guard !isEmpty else { return false }
        return contains(.everything) || contains(.address(endpoints.address(of: group))) || contains(.group(group))
    }
}
