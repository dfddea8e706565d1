/// Decides which events to send when. A value without a clock, a store or a network: it receives inputs and returns
/// actions.
///
/// Its parts are values with steps of their own: ``DeliveryWindow``, ``BatchesInFlight``, ``DeliveryBlocks`` and
/// ``DestinationRecords``.
///
/// A *run* begins with the store's lock and ends when nothing is left to send: each event was delivered, or its
/// destination is blocked. Events are read in order into a window and leave it in batches. Several batches may be in
/// flight to an address, but never with events of the same user, which keeps their order.
package struct DeliveryState: Sendable {
    enum Phase: Sendable, Equatable {
        case idle
        case waitingForLock(since: Duration)
        case running
    }

    let options: EventOptions
    var phase = Phase.idle
    var moment = Moment(now: .zero, waiting: 0)
    var actions: [Action] = []
    private var waiters: [Int] = []

    private(set) var blocks = DeliveryBlocks()
    private var storeBackoff: Backoff
    var records: DestinationRecords

    // The run.
    var window = DeliveryWindow()
    private(set) var inFlight = BatchesInFlight()
    /// The id up to which the next run can skip events: all of them are for blocked destinations.
    private var skipped: Int64?
    private var isFetching = false
    /// The number of events in the last fetch.
    private(set) var fetchCount = 0
    private var requests = 0

    package init(options: EventOptions, random: any RandomSource) {
        self.options = options
        records = DestinationRecords(options: options, random: random)
        storeBackoff = Backoff(first: options.firstDelay, longest: options.longestDelay, random: random)
    }

    /// Whether no run is in progress.
    package var isIdle: Bool { phase == .idle }
    /// The destinations that are blocked.
    package var blockedDestinations: Set<BlockedDestination> { blocks.destinations }

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
            guard let batch = inFlight.remove(number) else { break }
            records.addresses[batch.address]?.lanes[batch.number] = nil
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
            guard !blocks.contains(.everything) else { return finish() }
            phase = .waitingForLock(since: moment.now)
            actions.append(.lock)
        case .waitingForLock: actions.append(.lock)
        case .running:
            window.isExhausted = false
            proceed()
        }
    }

    private mutating func timerFired() {
        let isOver = resume(blocks.lift(at: moment.now), records.releaseSuspects(at: moment.now))
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
            records.resetAttempts()
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
        let mayRead = !blocks.contains(.everything)
        while mayRead {
            // Read before choosing: new events may share the next request.
            if let count = countToFetch {
                (isFetching, fetchCount) = (true, count)
                return actions.append(.fetch(count, after: window.end))
            }
            guard requests < options.requestsPerRun ?? .max, let batch = nextBatch() else { break }
            start(batch)
        }
        if inFlight.isEmpty, blocks.retries.isEmpty || !mayRead { end() }
    }

    private mutating func start(_ batch: DeliveryBatch) {
        requests += 1
        inFlight.add(batch)
        records.addresses[batch.address]?.lanes[batch.number] = batch.lane
        actions.append(.send(batch))
    }

    private mutating func end() {
        if requests >= options.requestsPerRun ?? .max, !window.isEmpty, !blocks.contains(.everything) {
            block(.everything, for: options.firstDelay)
        }
        skipped = window.resumeID
        window = DeliveryWindow()
        blocks.runEnded()
        phase = .idle
        actions.append(.unlock)
        records.runEnded()
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
        blocks.add(destination, until: length.map { moment.now + $0 }, isRetry: isRetry)
        if let length { actions.append(.wake(after: length)) }
        let (covered, endpoints) = (Set([destination]), options.endpoints)
        window.skip { covered.covers($0, endpoints) }
    }

    /// Ends all blocks except the delays between attempts, which the run waits for.
    private mutating func unblockAll() {
        resume(blocks.liftAllButRetries(), records.releaseSuspects())
        records.resetAttempts(besides: blocks.retries)
    }

    /// Reads all events again if some of them can be sent now: a block has ended, or suspects are to be retried.
    @discardableResult
    private mutating func resume(_ isUnblocked: Bool, _ areSuspectsReleased: Bool) -> Bool {
        guard isUnblocked || areSuspectsReleased else { return false }
        rescan()
        return true
    }

    /// Reads all events again from the start, except those in flight.
    mutating func rescan() {
        skipped = nil
        window = DeliveryWindow()
    }

    /// Records that the store worked.
    mutating func storeWorked() { storeBackoff.reset() }
}
