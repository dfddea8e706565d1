/// How long to wait after failures: 0.2 s · 2ⁿ, up to five minutes, each time a little more or less by chance.
struct EventBackoff: Sendable {
    private let options: EventOptions
    private let random: any RandomSource
    private var failures = 0

    init(_ options: EventOptions, random: any RandomSource) {
        self.options = options
        self.random = random
    }

    /// Counts a failure, and returns how long to wait.
    mutating func delay() -> Duration {
        // Beyond that the longest delay applies, and the factor would overflow.
        let factor = 1 << min(failures, 30)
        failures += 1
        // Between three quarters and one and a quarter.
        let chance = 0.75 + Double(random.next() >> 11) * 0x1p-54
        return min(options.firstDelay * factor, options.longestDelay) * chance
    }

    /// Forgets all failures: something worked.
    mutating func reset() { failures = 0 }
}

/// Who is left in peace for a while, because sending to them did not work.
struct EventPause: Sendable {
    /// How long; zero: as long as somebody else decided.
    var duration: Duration
    /// Whose receivers; empty: everybody's.
    var groups: Set<OutgoingEvent.Group>
    /// Whether nothing was tried, because somebody else who shares the store is at work.
    var isForOthers = false

    /// Makes the pause at least so long, for one more group or for everybody.
    mutating func add(_ group: OutgoingEvent.Group?, _ duration: Duration) {
        self.duration = max(self.duration, duration)
        if let group { groups.insert(group) } else { groups = [] }
    }
}
