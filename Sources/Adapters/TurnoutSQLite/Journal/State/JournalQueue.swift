#if SQLite
    package import TurnoutClient

    /// A queue of events as one process sees it.
    package struct JournalQueue: Sendable {
        package struct Tally: Sendable {
            package var count = 0
            package var bytes = 0
            package init(count: Int = 0, bytes: Int = 0) { (self.count, self.bytes) = (count, bytes) }

            mutating func add(_ event: OutgoingEvent) { self += Tally(count: 1, bytes: event.visitor.count) }
            mutating func subtract(_ event: OutgoingEvent) { self += Tally(count: -1, bytes: -event.visitor.count) }
            static func += (left: inout Tally, right: Tally) {
                left.count += right.count
                left.bytes += right.bytes
            }
        }

        /// The events in the file, as far as this process knows.
        var stored = Tally()
        var waiting = Tally()
        var inFlight = Tally()
        /// Ids in the file whose removal failed and will be repeated.
        package var removals: Set<Int64> = []
        /// Whether an event did not fit, so `stored` has to be read again: another process may have removed events.
        var isOutdated = false
        package var losses = EventLosses()

        package var count: Int { max(0, stored.count + inFlight.count + waiting.count - removals.count) }

        /// Whether there is no room for an event of a size among all events of the queue.
        func isFull(besides bytes: Int, _ options: SQLiteOptions) -> Bool {
            var all = stored
            all += inFlight
            all += waiting
            return all.count >= options.maximumEvents + removals.count || all.bytes + bytes > options.maximumBytes
        }

        /// Whether more events wait than the file may hold.
        func isOverfull(with more: Tally = Tally(), _ options: SQLiteOptions) -> Bool {
            waiting.count + more.count > options.maximumEvents || waiting.bytes + more.bytes > options.maximumBytes
        }
    }
#endif
