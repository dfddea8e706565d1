extension DeliveryState {
    package enum Input: Sendable {
        /// Events to send were added.
        case wake
        /// The time of an ``Action/wake(after:)`` has passed.
        case timer
        /// A caller waits until all events were tried; the number identifies the caller.
        case flush(Int)
        /// The result of ``Action/lock``: whether this client may deliver.
        case locked(Bool)
        /// The result of ``Action/fetch(_:after:)``.
        case fetched([StoredEvent])
        /// The store could not be read or written.
        case storeFailed
        /// The result of sending a batch, by its number.
        case completed(Int, DeliveryResult)
    }

    /// An action. Actions must be performed in order.
    package enum Action: Sendable, Equatable {
        /// Acquire the store's lock, and report the result as ``Input/locked(_:)``.
        case lock
        case unlock
        /// Read the oldest events with larger ids than this one.
        case fetch(Int, after: Int64)
        case send(DeliveryBatch)
        case remove([Int64])
        /// Set refused events aside, and count them as lost.
        case reject([Int64])
        /// Remove expired events, and count them as lost.
        case expire([Int64])
        /// Send ``Input/timer`` after a delay.
        case wake(after: Duration)
        case report(DeliveryReport)
        /// Resume callers that wait for a flush.
        case finish([Int])
    }

    /// The environment at the time of an input.
    package struct Moment: Sendable {
        package var now: Duration
        /// The wall clock time, in milliseconds since 1970.
        package var wallTime: Int64
        /// The number of events in the store.
        package var waiting: Int

        package init(now: Duration, wallTime: Int64 = 0, waiting: Int) {
            (self.now, self.wallTime, self.waiting) = (now, wallTime, waiting)
        }
    }
}

/// Events that share a request.
package struct DeliveryBatch: Sendable, Equatable {
    package let number: Int
    package let events: [StoredEvent]
    let address: String

    var group: OutgoingEvent.Group { events[0].event.group }
    package var ids: [Int64] { events.map(\.id) }
}
