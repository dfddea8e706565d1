/// Who is left in peace for a while, because sending to them did not work.
struct EventPause: Sendable {
    /// How long; zero: as long as somebody else decided.
    var duration: Duration
    /// Whose receivers; empty: everybody's.
    var groups: Set<OutgoingEvent.Group>
    /// Whether nothing was tried, because somebody else who shares the store is at work.
    var isForOthers = false
    /// Whose events are to go on soon, while others are left in peace; nil: nobody's.
    var next: OutgoingEvent.Group?

    /// Makes the pause at least so long, for one more group or for everybody.
    mutating func add(_ group: OutgoingEvent.Group?, _ duration: Duration) {
        self.duration = max(self.duration, duration)
        if let group { groups.insert(group) } else { groups = [] }
    }
}
