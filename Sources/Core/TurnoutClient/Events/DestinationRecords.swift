/// The state of the addresses and groups to which events are sent. Part of ``DeliveryState``.
struct DestinationRecords: Sendable {
    private let options: EventOptions
    private let random: any RandomSource
    var addresses: [String: AddressRecord] = [:]
    var groups: [OutgoingEvent.Group: GroupRecord] = [:]

    /// Creates a state without records.
    init(options: EventOptions, random: any RandomSource) {
        self.options = options
        self.random = random
    }

    /// Creates the records for a group and its address if needed, and returns the address.
    mutating func note(_ group: OutgoingEvent.Group) -> String {
        if let record = groups[group] { return record.address }
        let address = options.endpoints.address(of: group)
        let backoff = Backoff(first: options.firstDelay, longest: options.longestDelay, random: random)
        groups[group] = GroupRecord(address: address, backoff: backoff)
        if addresses[address] == nil {
            addresses[address] = AddressRecord(salt: DeliveryHash.of(address.utf8), backoff: backoff)
        }
        return address
    }

    /// Records that a destination does not accept events. Returns whether this is to be reported: for an address or a
    /// group, only the first time.
    mutating func report(_ destination: BlockedDestination) -> Bool {
        switch destination {
        case .everything: return true
        case .address(let address):
            defer { addresses[address]?.isReported = true }
            return addresses[address]?.isReported != true
        case .group(let group):
            defer { groups[group]?.isReported = true }
            return groups[group]?.isReported != true
        }
    }

    /// Forgets the failed attempts of all addresses, except those whose next attempt the run waits for.
    mutating func resetAttempts(besides retries: Set<BlockedDestination> = []) {
        for address in addresses.keys where !retries.contains(.address(address)) { addresses[address]?.attempts = 0 }
    }

    /// Releases the suspects whose retry time has come, or all if `now` is nil. Returns whether there were any.
    mutating func releaseSuspects(at now: Duration? = nil) -> Bool {
        var isAnyReleased = false
        for (group, record) in groups {
            guard let retry = record.suspectsRetry, now.map({ retry <= $0 }) ?? true else { continue }
            groups[group]?.suspectsRetry = nil
            isAnyReleased = true
        }
        return isAnyReleased
    }

    /// The run ended: drops the records without relevant state, and doubles the limits of bytes that receivers have
    /// lowered, because their configuration may have changed.
    mutating func runEnded() {
        for (address, record) in addresses {
            let doubled = record.bytes.flatMap { 2 * $0 < options.bytesPerRequest ? 2 * $0 : nil }
            addresses[address]?.bytes = doubled
        }
        groups = groups.filter { $0.value.isRelevant }
        addresses = addresses.filter { address, record in
            record.isRelevant || groups.values.contains { $0.address == address }
        }
    }
}

/// The delivery state of an address.
struct AddressRecord: Sendable {
    /// Distinguishes the users of this address from those of others, whose events may be in flight at the same time.
    let salt: UInt64
    var backoff: Backoff
    /// Failed attempts since the last success.
    var failures = 0
    /// Consecutive failed attempts in this run.
    var attempts = 0
    /// Whether requests are accepted. Until then they are sent one at a time.
    var isTrusted = false
    /// The maximum size of a request in bytes since larger ones were refused; doubled after each run.
    var bytes: Int?
    /// Whether it was reported that the address does not accept events.
    var isReported = false
    /// The lanes of the requests in flight, by batch number.
    var lanes: [Int: Int] = [:]

    var isRelevant: Bool { failures > 0 || isTrusted || isReported || bytes != nil }
}

/// The delivery state of a group of events that share requests.
struct GroupRecord: Sendable {
    let address: String
    var backoff: Backoff
    /// The maximum number of events in a request while refused events are being located.
    var limit: Int?
    /// Whether the receiver accepted any of the group's events since that search began.
    var hasAcceptedSinceSplit = false
    /// The number of accepted requests of the group. The receiver may accept other groups and refuse all of this one.
    var acceptances = 0
    /// Events that were refused individually, with the number of acceptances before. They are given up when the
    /// receiver accepts another event of the group; until then, the receiver may be at fault.
    var suspects: [Int64: Int] = [:]
    /// When to retry suspects; nil for now.
    var suspectsRetry: Duration?
    /// Consecutive responses that produced suspects.
    var refusals = 0
    /// How often in a row the receiver refused everything.
    var faults = 0
    /// Events that were refused while the receiver refused everything. They are given up if they are refused again.
    var secondChances: Set<Int64> = []
    /// Whether it was reported that these events are not accepted.
    var isReported = false

    /// Whether the receiver currently seems to refuse everything.
    var isFaulty: Bool { faults > 0 }
    var isRelevant: Bool {
        limit != nil || !suspects.isEmpty || isFaulty || !secondChances.isEmpty || isReported
    }

    /// Further suspects are dropped, which only means that those events are retried.
    static let suspectLimit = 1_000
}
