#if SQLite
    import TurnoutClient

    /// Which of the callers that wait for the file commits. Part of ``JournalState``.
    ///
    /// The callers whose additions one transaction writes form a ``CommitGroup``. One caller leads a commit; meanwhile
    /// the next group collects, and the first caller that joins it becomes the next leader.
    package struct CommitLeadership: Sendable {
        /// The role of a caller that joins the group.
        package enum Role: Sendable, Equatable {
            case lead
            case wait(asNextLeader: Bool)
        }

        /// From this size on, the cost of the transaction itself is negligible.
        private static let fullGroup = 256

        package private(set) var group = CommitGroup(number: 0)
        /// How many events the callers that wait for the group have added.
        package private(set) var eventCount = 0
        private var nextLeader = CommitGroup.NextLeader.none
        /// Whether a thread leads a commit, or is about to.
        private var isLed = false
        /// The approximate number of events that the threads of a commit group add at a time.
        private var expectedCount = 0

        /// Creates a state without callers.
        package init() {}

        /// Whether a caller waits for a commit. Its event may have been removed; the caller must still be told.
        package var hasCallers: Bool { nextLeader != .none || eventCount > 0 }

        /// The place of a new event in the group.
        package mutating func addEvent() -> (group: Int, index: Int) {
            defer { eventCount += 1 }
            return (group.number, eventCount)
        }

        /// A thread that has added something joins the group.
        package mutating func join() -> Role {
            guard isLed else {
                isLed = true
                return .lead
            }
            guard nextLeader == .none else { return .wait(asNextLeader: false) }
            nextLeader = .waiting
            return .wait(asNextLeader: true)
        }

        /// Closes the group, with a number of events in its transaction. The next one collects.
        package mutating func closeGroup(eventCount written: Int = 0) -> ClosedGroup {
            defer { (group, eventCount, nextLeader) = (CommitGroup(number: group.number + 1), 0, .none) }
            return ClosedGroup(members: group, nextLeader: nextLeader, eventCount: written)
        }

        /// How many events a leader still expects from the threads of the previous group: a transaction costs as much
        /// as many events.
        package func missingCount(waiting count: Int) -> Int { max(0, min(expectedCount, Self.fullGroup) - count) }

        /// A leader has written a number of events, while others were added. Returns the group whose next leader has to
        /// be promoted.
        package mutating func leadEnded(written: Int, waiting count: Int) -> CommitGroup? {
            expectedCount = count + written
            isLed = nextLeader == .waiting
            guard isLed else { return nil }
            nextLeader = .promoted
            return group
        }
    }
#endif
