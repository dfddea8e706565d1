/// Who is left in peace for a while, because sending to them did not work.
struct EventPause: Sendable {
    /// Whom nothing is sent to.
    enum Resting: Sendable, Hashable {
        /// Nobody gets anything: events cannot be read, or others deliver them.
        case everybody
        /// An address that does not answer, or is not the right one, whatever datafile the events are of.
        case address(String)
        /// Events of one datafile or key that their receiver does not want; it may want others.
        case group(OutgoingEvent.Group)
    }

    /// Who, and how long from now on; zero: as long as was decided before.
    private(set) var resting: [Resting: Duration]
    /// Whether nothing was tried, because somebody else who shares the store is at work.
    var isForOthers = false
    /// Whose events are to go on soon, while others are left in peace; nil: nobody's.
    var next: OutgoingEvent.Group?

    /// A pause for those who are left in peace already.
    init(besides resting: Set<Resting>) {
        self.resting = Dictionary(uniqueKeysWithValues: resting.map { ($0, .zero) })
    }

    /// A pause for everybody.
    init(_ length: Duration, isForOthers: Bool = false) {
        self.init(besides: [])
        self.isForOthers = isForOthers
        add(.everybody, length)
    }

    /// Leaves one more in peace.
    mutating func add(_ resting: Resting, _ length: Duration) {
        self.resting[resting] = max(self.resting[resting] ?? .zero, length, .milliseconds(1))
    }
}

extension [EventPause.Resting: Duration] {
    /// Whether whoever gets a group's events is among those to be left in peace.
    func covers(_ group: OutgoingEvent.Group, _ endpoints: EventEndpoints) -> Bool {
        guard !isEmpty else { return false }
        return [.everybody, .address(endpoints.address(of: group)), .group(group)].contains { self[$0] != nil }
    }
}
