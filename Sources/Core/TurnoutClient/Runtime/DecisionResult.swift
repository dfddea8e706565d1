/// A decision, and the event made for it.
package struct DecisionResult: Sendable {
    package let decision: Decision
    /// The impression and its event; nil if none was due or a hook dropped it. Behind a reference, because most
    /// decisions have none, and copying a large optional costs time even when it is empty.
    package var sent: ImpressionEvent?
}

/// An impression, and the event that carries it.
package final class ImpressionEvent: Sendable {
    package let impression: Impression
    package let event: OutgoingEvent
    /// The event as hooks saw it last; nil without hooks for events.
    let hookedEvent: ClientEvent?

    init(_ impression: Impression, _ event: OutgoingEvent, hookedEvent: ClientEvent? = nil) {
        self.impression = impression
        self.event = event
        self.hookedEvent = hookedEvent
    }
}

/// Decisions of one call. Their assignments are committed; their impressions still have to be sent, with
/// ``DecisionRuntime/sendImpressions(of:)`` or one of its variants.
package struct DecisionResults: Sendable {
    /// Every decision, in the order of the flags.
    var all: [Decision] = []
    /// The decisions to return; with `enabledFlagsOnly` a part of ``all``.
    package var selected: [Decision] = []
    /// The user and the snapshot that were decided with; nil if there are no decisions.
    var source: (user: User, snapshot: Snapshot)?

    /// The results of all decisions if their impressions are not sent.
    package var unsent: [DecisionResult] { all.map { DecisionResult(decision: $0) } }
}

/// A decision of a legacy call, and its snapshot.
package struct LegacyDecision: Sendable {
    package let decision: Decision
    /// The snapshot, for the impression: a newer datafile may be installed meanwhile.
    package let snapshot: Snapshot
}

/// A conversion, and the outcome for its event.
package struct ConversionResult {
    package let conversion: Conversion
    package let event: OutgoingEvent
    /// Whether the event was accepted.
    package let acceptance: EventAcceptance
}
