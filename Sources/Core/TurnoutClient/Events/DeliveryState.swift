/// Decides which events to send when: a value without a clock, a store or a network, which receives inputs and returns
/// actions.
///
/// A *run* begins with the store's lock, reads the oldest events into a window, and sends those of a group together,
/// with one request in flight to an address. It ends when nothing is left to send: each event was delivered, or its
/// destination pauses. An address that does not respond or is busy pauses, longer after each failure, as does the group
/// of events whose key is not accepted, or the address that takes no events. A refused request is halved until the
/// refused event is alone. That event is set aside if another one was accepted during the search, or if one of the next
/// two is; nothing else is evidence that the event is invalid. If these are refused too, the receiver is at fault: all
/// stay, the group pauses, and a single event follows each of its growing pauses until one is accepted. A flush ends
/// all pauses, except those between the attempts of the run. All of this is forgotten at the next start.
package struct DeliveryState: Sendable {
    private enum Phase: Sendable, Equatable {
        case idle
        case waitingForLock(since: Duration)
        case running
    }

    /// The end of a pause that only a flush ends.
    private static let never = Duration.seconds(1_000_000_000_000)

    let options: EventOptions
    let random: any RandomSource
    private var phase = Phase.idle
    var moment = Moment(now: .zero, waiting: 0)
    var actions: [Action] = []
    private var waiters: [Int] = []
    /// The destinations whose requests failed or were refused.
    var destinations: [BlockedDestination: DestinationState] = [:]

    // The run.
    /// Events that were read and can be sent, in order.
    var window: [StoredEvent] = []
    /// The id of the last event that was read.
    var cursor = Int64.min
    /// Whether events up to the cursor stay in the store. The next run continues after them, unless a pause has ended.
    var hasSkipped = false
    var isExhausted = false
    private(set) var inFlight: [DeliveryBatch] = []
    private var isFetching = false
    /// The number of events in the last fetch.
    private(set) var fetchCount = 0
    private var requests = 0
    private(set) var lastNumber = 0

    package init(options: EventOptions, random: any RandomSource) {
        self.options = options
        self.random = random
    }

    /// Whether no run is in progress.
    package var isIdle: Bool { phase == .idle }
    /// The destinations that pause.
    package var blockedDestinations: Set<BlockedDestination> {
        Set(destinations.lazy.filter(\.value.isBlocked).map(\.key))
    }
    private var isBlocked: Bool { destinations[.everything]?.isBlocked == true }

    /// Handles an input and returns the resulting actions.
    package mutating func handle(_ input: Input, at moment: Moment) -> [Action] {
        self.moment = moment
        actions = []
        switch input {
        case .wake: begin()
        case .timer: timerFired()
        case .flush(let waiter):
            waiters.append(waiter)
            let isIdle = isIdle
            // The request that decides about doubted events may be in flight.
            endPauses { state, _ in !state.isRetry && (isIdle || !state.hasDoubts) }
            begin()
        case .locked(let isOurs): locked(isOurs)
        case .fetched(let events):
            isFetching = false
            if phase == .running { take(events) }
            proceed()
        case .storeFailed:
            isFetching = false
            pause(.everything, for: change(.everything) { $0.backoff.delay() })
            proceed()
        case .completed(let number, let result):
            guard let place = inFlight.firstIndex(where: { $0.number == number }) else { break }
            let batch = inFlight.remove(at: place)
            isExhausted = false
            read(result, to: batch)
            proceed()
        }
        return actions
    }

    // MARK: Runs

    private mutating func begin() {
        switch phase {
        case .idle:
            guard !isBlocked else { return finish() }
            phase = .waitingForLock(since: moment.now)
            actions.append(.lock)
        case .waitingForLock: actions.append(.lock)
        case .running:
            isExhausted = false
            proceed()
        }
    }

    private mutating func timerFired() {
        let now = moment.now
        let isAnyOver = endPauses { $1 <= now }
        switch phase {
        case .idle: if isAnyOver { begin() }
        case .waitingForLock: begin()
        case .running: if isAnyOver { proceed() }
        }
    }

    private mutating func locked(_ isOurs: Bool) {
        guard case .waitingForLock(let since) = phase else {
            if isOurs, phase == .idle { actions.append(.unlock) }
            return
        }
        if isOurs {
            (phase, requests, isExhausted) = (.running, 0, false)
            return proceed()
        }
        // Another client that shares the store is delivering, including this client's events. It may hang, but not for
        // longer than a request may take.
        if !waiters.isEmpty, moment.waiting > 0, moment.now - since < options.requestDeadline {
            return actions.append(.wake(after: max(options.firstDelay, .milliseconds(10))))
        }
        phase = .idle
        pause(.everything, for: options.firstDelay * 5)
        finish()
    }

    /// Sends and reads as much as possible.
    private mutating func proceed() {
        guard phase == .running, !isFetching else { return }
        while !isBlocked {
            // Read before choosing: new events may share the next request.
            if let count = countToFetch {
                (isFetching, fetchCount) = (true, count)
                return actions.append(.fetch(count, after: cursor))
            }
            guard requests < options.requestsPerRun ?? .max, let batch = nextBatch() else { break }
            (requests, lastNumber) = (requests + 1, batch.number)
            inFlight.append(batch)
            actions.append(.send(batch))
        }
        if inFlight.isEmpty, isBlocked || !destinations.values.contains(where: \.isRetry) { end() }
    }

    private mutating func end() {
        if window.isEmpty, !isBlocked {
            destinations = destinations.filter { $0.value.pauseEnd != nil || $0.value.isTooLarge }
            // What was accepted in this run is no evidence about an event of the next one.
            for destination in destinations.keys where destinations[destination]?.isTooLarge == true {
                destinations[destination]?.hasAccepted = false
            }
        } else if !isBlocked {
            pause(.everything, for: options.firstDelay)
        }
        for destination in destinations.keys { destinations[destination]?.isRetry = false }
        // The ids of events that are only in memory may change.
        if !hasSkipped || cursor >= StoredEvent.firstTemporaryID { rescan() }
        phase = .idle
        actions.append(.unlock)
        finish()
    }

    private mutating func finish() {
        guard !waiters.isEmpty else { return }
        actions.append(.finish(waiters))
        waiters = []
    }

    /// Reads all events again from the start, except those in flight.
    mutating func rescan() { (window, cursor, hasSkipped, isExhausted) = ([], .min, false, false) }

    // MARK: Pauses

    /// Changes the state of a destination, which is created if needed.
    mutating func change<Value>(
        _ destination: BlockedDestination, _ body: (inout DestinationState) -> Value
    ) -> Value {
        let backoff = Backoff(first: options.firstDelay, longest: options.longestDelay, random: random)
        return body(&destinations[destination, default: DestinationState(backoff: backoff)])
    }

    /// Sends nothing to a destination for a while; nil: until a flush. `isRetry`: the run waits for the end.
    mutating func pause(_ destination: BlockedDestination, for length: Duration?, isRetry: Bool = false) {
        let length = length.map { max($0, .milliseconds(1)) }
        let end = length.map { moment.now + $0 } ?? Self.never
        change(destination) {
            ($0.pauseEnd, $0.isRetry, $0.doubted) = (max($0.pauseEnd ?? .zero, end), isRetry, [])
        }
        if let length { actions.append(.wake(after: length)) }
        let (covered, endpoints, count) = (Set([destination]), options.endpoints, window.count)
        window.removeAll { covered.covers($0.event.group, endpoints) }
        if window.count < count { hasSkipped = true }
    }

    /// Ends some pauses, and reads their events again. Returns whether there were any.
    @discardableResult
    private mutating func endPauses(_ isOver: (DestinationState, Duration) -> Bool) -> Bool {
        let over = destinations.filter { _, state in state.pauseEnd.map { isOver(state, $0) } ?? false }.keys
        for destination in over {
            change(destination) { ($0.pauseEnd, $0.isRetry, $0.doubted) = (nil, false, []) }
        }
        if !over.isEmpty { rescan() }
        return !over.isEmpty
    }
}
