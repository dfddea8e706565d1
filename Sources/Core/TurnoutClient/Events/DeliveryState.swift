/// Decides which events to send when. A value without a clock, a store or a network: it receives inputs and returns
/// actions.
///
/// A *run* begins with the store's lock and ends when nothing is left to send: each event was delivered, or its
/// destination is blocked. Events are read in order into a window and leave it in batches. Several batches may be in
/// flight to an address, but never with events of the same user, which keeps their order.
package struct DeliveryState: Sendable {
    /// An input.
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
        /// Release the store's lock.
        case unlock
        /// Read the oldest events with larger ids than this one.
        case fetch(Int, after: Int64)
        /// Send a batch.
        case send(DeliveryBatch)
        /// Remove delivered events.
        case remove([Int64])
        /// Set refused events aside, and count them as lost.
        case reject([Int64])
        /// Remove expired events, and count them as lost.
        case expire([Int64])
        /// Send ``Input/timer`` after a delay.
        case wake(after: Duration)
        /// Log a report.
        case report(DeliveryReport)
        /// Resume callers that wait for a flush.
        case finish([Int])
    }

    /// The environment at the time of an input.
    package struct Moment: Sendable {
        /// A monotonic time.
        package var now: Duration
        /// The wall clock time, in milliseconds since 1970.
        package var wallTime: Int64
        /// The number of events in the store.
        package var waiting: Int

        package init(now: Duration, wallTime: Int64 = 0, waiting: Int) {
            (self.now, self.wallTime, self.waiting) = (now, wallTime, waiting)
        }
    }

    enum Phase: Sendable, Equatable {
        case idle
        case waitingForLock(since: Duration)
        case running
    }

    let options: EventOptions
    private let random: any RandomSource
    var phase = Phase.idle
    var moment = Moment(now: .zero, waiting: 0)
    var actions: [Action] = []
    private var waiters: [Int] = []

    /// The end of each block.
    private(set) var blocked: [BlockedDestination: Duration] = [:]
    /// Blocks between the attempts of a run, which waits for their end.
    private var retrying: Set<BlockedDestination> = []
    private var storeBackoff: Backoff
    /// The state of addresses and groups. Those without relevant state are dropped after each run.
    var addresses: [String: AddressRecord] = [:]
    var groups: [OutgoingEvent.Group: GroupRecord] = [:]

    // The run.
    var window = DeliveryWindow()
    /// The id up to which the next run can skip events: all of them are for blocked destinations.
    private var skipped: Int64?
    private var isFetching = false
    /// The number of events in the last fetch.
    private(set) var fetchCount = 0
    var batches: [Int: DeliveryBatch] = [:]
    var usersInFlight: Set<UInt64> = []
    private var lastBatch = 0
    private var requests = 0

    /// Creates an initial state.
    package init(options: EventOptions, random: any RandomSource) {
        self.options = options
        self.random = random
        storeBackoff = Backoff(first: options.firstDelay, longest: options.longestDelay, random: random)
    }

    /// Whether no run is in progress.
    package var isIdle: Bool { phase == .idle }
    /// The destinations that are blocked.
    package var blockedDestinations: Set<BlockedDestination> { Set(blocked.keys) }

    /// Handles an input and returns the resulting actions.
    package mutating func handle(_ input: Input, at moment: Moment) -> [Action] {
        self.moment = moment
        actions = []
        switch input {
        case .wake: begin()
        case .timer: timerFired()
        case .flush(let waiter):
            waiters.append(waiter)
            unblockAll()
            begin()
        case .locked(let isOurs): locked(isOurs)
        case .fetched(let events):
            isFetching = false
            take(events)
            proceed()
        case .storeFailed: storeFailed()
        case .completed(let number, let result):
            guard let batch = batches.removeValue(forKey: number) else { break }
            usersInFlight.subtract(batch.users)
            addresses[batch.address]?.lanes[batch.number] = nil
            window.isExhausted = false
            read(result, to: batch)
            proceed()
        }
        return actions
    }

    // MARK: Runs

    private mutating func begin() {
        switch phase {
        case .idle:
            guard blocked[.everything] == nil else { return finish() }
            phase = .waitingForLock(since: moment.now)
            actions.append(.lock)
        case .waitingForLock: actions.append(.lock)
        case .running:
            window.isExhausted = false
            proceed()
        }
    }

    private mutating func timerFired() {
        let isOver = liftBlocks { $0 <= $1 }
        switch phase {
        case .idle: if isOver { begin() }
        case .waitingForLock: begin()
        case .running: if isOver { proceed() }
        }
    }

    private mutating func locked(_ isOurs: Bool) {
        guard case .waitingForLock(let since) = phase else {
            if isOurs, phase == .idle { actions.append(.unlock) }
            return
        }
        if isOurs {
            phase = .running
            requests = 0
            window = DeliveryWindow(after: skipped)
            for address in addresses.keys { addresses[address]?.attempts = 0 }
            return proceed()
        }
        // Another client that shares the store is delivering, including this client's events. It may hang, but not for
        // longer than a request may take.
        if !waiters.isEmpty, moment.waiting > 0, moment.now - since < options.requestDeadline {
            return actions.append(.wake(after: max(options.firstDelay, .milliseconds(10))))
        }
        phase = .idle
        block(.everything, for: options.firstDelay * 5)
        finish()
    }

    private mutating func storeFailed() {
        isFetching = false
        block(.everything, for: storeBackoff.delay())
        proceed()
    }

    /// Sends and reads as much as possible.
    mutating func proceed() {
        guard phase == .running, !isFetching else { return }
        let mayRead = blocked[.everything] == nil
        while mayRead {
            // Read before choosing: new events may share the next request.
            if let count = countToFetch {
                (isFetching, fetchCount) = (true, count)
                return actions.append(.fetch(count, after: window.end))
            }
            guard requests < options.requestsPerRun ?? .max, let batch = nextBatch(number: lastBatch + 1) else { break }
            start(batch)
        }
        if batches.isEmpty, retrying.isEmpty || !mayRead { end() }
    }

    private mutating func start(_ batch: DeliveryBatch) {
        lastBatch += 1
        requests += 1
        batches[batch.number] = batch
        usersInFlight.formUnion(batch.users)
        addresses[batch.address]?.lanes[batch.number] = batch.lane
        actions.append(.send(batch))
    }

    private mutating func end() {
        if requests >= options.requestsPerRun ?? .max, !window.isEmpty, blocked[.everything] == nil {
            block(.everything, for: options.firstDelay)
        }
        skipped = window.placeToGoOn
        window = DeliveryWindow()
        retrying = []
        phase = .idle
        actions.append(.unlock)
        raiseByteLimits()
        groups = groups.filter { $0.value.isRelevant }
        addresses = addresses.filter { address, record in
            record.isRelevant || groups.values.contains { $0.address == address }
        }
        finish()
    }

    private mutating func finish() {
        guard !waiters.isEmpty else { return }
        actions.append(.finish(waiters))
        waiters = []
    }

    // MARK: Blocks

    /// Blocks a destination for a while; nil: until a flush. `isRetry`: the run waits for the end.
    mutating func block(_ destination: BlockedDestination, for length: Duration?, isRetry: Bool = false) {
        let length = length.map { max($0, .milliseconds(1)) }
        blocked[destination] = max(blocked[destination] ?? .zero, length.map { moment.now + $0 } ?? Self.never)
        if isRetry { retrying.insert(destination) } else { retrying.remove(destination) }
        if let length { actions.append(.wake(after: length)) }
        let (covered, endpoints) = (Set([destination]), options.endpoints)
        window.skip { covered.covers($0, endpoints) }
    }

    static let never = Duration.seconds(1_000_000_000_000)

    /// Whether the destination of a group is blocked.
    func isBlocked(_ group: OutgoingEvent.Group, _ address: String) -> Bool {
        guard !blocked.isEmpty else { return false }
        return blocked[.everything] != nil || blocked[.address(address)] != nil || blocked[.group(group)] != nil
    }

    /// Ends all blocks except the delays between attempts, which the run waits for.
    private mutating func unblockAll() {
        let pauses = retrying
        liftBlocks(besides: pauses) { _, _ in true }
        for address in addresses.keys where !pauses.contains(.address(address)) { addresses[address]?.attempts = 0 }
    }

    /// Ends blocks, and reads all events again.
    @discardableResult
    private mutating func liftBlocks(
        besides kept: Set<BlockedDestination> = [], _ isOver: (_ end: Duration, _ now: Duration) -> Bool
    ) -> Bool {
        var isAnyOver = false
        for (destination, end) in blocked where !kept.contains(destination) && isOver(end, moment.now) {
            blocked[destination] = nil
            retrying.remove(destination)
            isAnyOver = true
        }
        for (group, record) in groups {
            guard let retry = record.suspectsRetry, isOver(retry, moment.now) else { continue }
            groups[group]?.suspectsRetry = nil
            isAnyOver = true
        }
        if isAnyOver { rescan() }
        return isAnyOver
    }

    /// Reads all events again from the start, except those in flight.
    mutating func rescan() {
        skipped = nil
        window = DeliveryWindow()
    }

    // MARK: Records

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

    /// Records that the store worked.
    mutating func storeWorked() { storeBackoff.reset() }
}
