/// A decision, and the event that was accepted for it.
package struct MadeDecision: Sendable {
    /// The decision.
    package let decision: Decision
    /// The impression that was due and the event that it became, or nil. Behind a reference, because most decisions
    /// have none, and what is large is slow to hand on even when it is empty.
    package var sent: SentImpression?
}

/// An impression, and the event that it became.
package final class SentImpression: Sendable {
    /// The impression.
    package let impression: Impression
    /// The event.
    package let event: OutgoingEvent

    init(_ impression: Impression, _ event: OutgoingEvent) {
        self.impression = impression
        self.event = event
    }
}

/// Decisions that were made together, and are remembered; ``Client/send(_:)`` and its like do what else follows from
/// them.
package struct MadeDecisions: Sendable {
    /// Every decision, in the order of the flags.
    var all: [Decision] = []
    /// What the caller gets.
    package var returned: [Decision] = []
    /// Whom and by what they were made; nil: there are none.
    var source: (user: User, snapshot: Snapshot)?
}

/// A decision of an older call, and the datafile it was made with.
package struct OlderDecision: Sendable {
    /// The decision.
    package let decision: Decision
    /// What it was made by.
    package let snapshot: Snapshot
}
