/// Who is left in peace for a while, because sending to them did not work.
struct EventPause: Sendable {
    /// Whom nothing is sent to.
    enum Resting: Sendable, Hashable {
        /// One that does not answer, whatever datafile the events are of.
        case receiver(OutgoingEvent.Receiver)
        /// One that does not want the events of a project; those of others it may want.
        case group(OutgoingEvent.Group)
    }

    /// How long; zero: as long as somebody else decided.
    var duration: Duration
    /// Who; empty: everybody.
    var resting: Set<Resting>
    /// Whether nothing was tried, because somebody else who shares the store is at work.
    var isForOthers = false
    /// Whose events are to go on soon, while others are left in peace; nil: nobody's.
    var next: OutgoingEvent.Group?

    /// Makes the pause at least so long, for one more or for everybody.
    mutating func add(_ resting: Resting?, _ duration: Duration) {
        self.duration = max(self.duration, duration)
        if let resting { self.resting.insert(resting) } else { self.resting = [] }
    }
}

extension Set<EventPause.Resting> {
    /// Whether the receiver of a group's events is among those to be left in peace.
    func contains(_ group: OutgoingEvent.Group) -> Bool {
        !isEmpty && (contains(.receiver(group.receiver)) || contains(.group(group)))
    }
}
