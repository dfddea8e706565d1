package import TurnoutClient

/// Reads the log of events and writes what it finds to the processed events: one reader, one thread at a time.
///
/// If the store fails, nothing is lost: the log keeps the bodies, and processing tries again.
package final class EventProcessing: Sendable {
    package struct Options: Sendable {
        /// The approximate number of bytes of a transaction. Larger transactions sort more ids before they are looked
        /// up, which makes finding duplicates cheaper. Default: 16 MiB.
        package var pageSize = 16 << 20
        /// The pause before new records are processed, so that those of that time share a transaction. Default: 100
        /// milliseconds.
        package var idlePause = Duration.milliseconds(100)
        /// The longest time without a look into the log and a call of ``EventProcessing/wake()``. Default: 10 seconds.
        package var idleTime = Duration.seconds(10)
        /// The time between two deletions of old events. Default: 10 minutes.
        package var retentionInterval = Duration.seconds(600)
        /// How long events are kept.
        package var retention = EventRetention()
        /// Whether only the first exposure of a visitor to a variation is stored on each UTC day. Default: false.
        package var storesFirstOfDay = false

        package init() {}
    }

    /// The name of this reader in the log.
    package static let reader = "processing"

    private struct State {
        var counts = ProcessedCounts()
        var exposures = ExposureCounts()
        var known: Set<String>?
        var rebuilds = 0
        var isWoken = false
        var pause: OneShot<Void>?
    }

    package let recent = RecentEvents()
    private let log: any EventLogReading
    private let store: EventDatabase
    private let options: Options
    private let projects: @Sendable () -> Set<String>?
    private let hasArm: @Sendable (ExposureCounts.Arm) -> Bool
    private let beforehand: @Sendable (_ rebuilds: Int) throws -> Void
    private let beforeExpiry: @Sendable () throws -> Void
    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let work: RetriedWork
    private let messages: any Log
    private let state = Locked(State())
    /// Held while a part of the log is processed.
    private let partInProgress = Locked(())
    /// Held while bodies leave quarantine, and while users are forgotten. Otherwise, forgetting could miss a body that
    /// was read from quarantine, and is not yet written to the tables.
    private let quarantine = Locked(())

    /// Creates the processing of a log.
    ///
    /// - Parameters:
    ///   - log: The received bodies.
    ///   - store: Receives the rows.
    ///   - options: The options. Default: the standard ones.
    ///   - projects: The ids of the projects that have a datafile; nil to accept all. Bodies of other projects go to
    ///     quarantine until their project is known. Default: nil.
    ///   - hasArm: Whether a datafile has a variation, whose exposures are then counted by its name. Default: all are.
    ///   - beforehand: Called before each part, with the number of rebuilds: writes what the store must know before the
    ///     events. If it fails, the part is not processed yet. Default: does nothing.
    ///   - beforeExpiry: Called before old events are deleted. They are deleted even if it fails. Default: nothing.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - wallClock: Provides the time for retention. Default: the system's.
    ///   - random: The source of jitter. Default: the system's.
    ///   - messages: Receives failures.
    package init(
        _ log: any EventLogReading, into store: EventDatabase, _ options: Options = Options(),
        projects: @escaping @Sendable () -> Set<String>? = { nil },
        hasArm: @escaping @Sendable (ExposureCounts.Arm) -> Bool = { _ in true },
        beforehand: @escaping @Sendable (_ rebuilds: Int) throws -> Void = { _ in },
        beforeExpiry: @escaping @Sendable () throws -> Void = {},
        clock: any Clock<Duration> = .continuous, wallClock: any WallClock = .system,
        random: any RandomSource = .system, messages: any Log
    ) {
        self.log = log
        self.store = store
        self.options = options
        self.projects = projects
        self.hasArm = hasArm
        self.beforehand = beforehand
        self.beforeExpiry = beforeExpiry
        self.clock = clock
        self.wallClock = wallClock
        self.messages = messages
        work = RetriedWork(
            failure: "events: cannot be processed", recovery: "events: processed again",
            Backoff(first: .milliseconds(100), longest: .seconds(30), random: random), clock: clock, messages: messages)
    }

    /// The numbers since the start.
    package var counts: ProcessedCounts { state.withLock { $0.counts } }

    /// The exposures that were stored since the start.
    package var exposures: ExposureCounts { state.withLock { $0.exposures } }

    /// Why processing makes no progress; nil if it does.
    package var problem: String? { work.problem }

    /// How often processed events were missing since the start, and built again from what the log still has.
    package var rebuilds: Int { state.withLock { $0.rebuilds } }

    /// Processes until the task is canceled, and deletes old events from time to time.
    package func run() async {
        let uptime = clock.stopwatch()
        var (nextExpiry, isIdle) = (Duration.zero, false)
        await work.run {
            if isIdle {
                isIdle = false
                await waitUntilWoken()
                try await clock.sleep(for: options.idlePause, tolerance: nil)
            }
            isIdle = try await !next()
            if uptime() >= nextExpiry {
                nextExpiry = uptime() + options.retentionInterval
                try await expire()
            }
            return .zero
        }
    }

    /// Tells that there may be something to process.
    package func wake() {
        state.withLock { state in
            state.isWoken = true
            return state.pause
        }?.end(())
    }

    private func waitUntilWoken() async {
        let pause = OneShot<Void>()
        let isWoken = state.withLock { state in
            defer { (state.isWoken, state.pause) = (false, state.isWoken ? nil : pause) }
            return state.isWoken
        }
        guard !isWoken else { return }
        let limit = Task { [clock, options] in
            try? await clock.sleep(for: options.idleTime, tolerance: nil)
            pause.end(())
        }
        await withTaskCancellationHandler {
            _ = await pause.value()
        } onCancel: {
            pause.end(nil)
        }
        limit.cancel()
        state.withLock { ($0.isWoken, $0.pause) = (false, nil) }
    }

    private func next() async throws -> Bool {
        try await BlockingCall.result { try self.processNext() }
    }

    private func expire() async throws {
        let count = try await BlockingCall.result { try self.expireNow() }
        if count > 0 { messages(.info, "events: \(count) were deleted because of their age") }
    }

    /// Deletes old events. Blocks.
    ///
    /// - Returns: The number of deleted events.
    @discardableResult
    package func expireNow() throws -> Int {
        do { try beforeExpiry() } catch let error where !(error is CancellationError) {
            messages.failure(
                .warning, "results: those that became final are not stored; deleting old events may change them", error)
        }
        return try store.expire(options.retention, now: wallClock.millisecondsSince1970())
    }

    /// Processes the next part of the log. Blocks.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package func processNext() throws -> Bool { try partInProgress.withLock { _ in try processNextPart() } }

    /// Waits until the bodies that were read before the call are processed. Blocks.
    func waitForPartInProgress() { partInProgress.withLock { _ in } }

    /// Calls a function while no body leaves quarantine. Blocks.
    func withQuarantineLocked<Value>(_ body: () throws -> Value) rethrows -> Value {
        try quarantine.withLock { _ in try body() }
    }

    private func processNextPart() throws -> Bool {
        try releaseQuarantine()
        let stored = try store.offset()
        reportRebuild(from: stored)
        try beforehand(rebuilds)
        // A log that ends before the offset is another one: it was deleted.
        let start = stored <= log.end ? stored : 0
        let page = try log.read(from: start, size: options.pageSize)
        if page.next > start {
            let known = state.withLock { $0.known }
            try write(page.records, known, next: page.next, released: [])
        }
        if page.next > 0, log.offset(of: Self.reader) != page.next {
            try log.acknowledge(page.next, by: Self.reader)
        }
        return !page.records.isEmpty
    }

    /// Tells that the store has less than was written to it: its file was emptied, deleted, replaced or damaged.
    private func reportRebuild(from stored: Int64) {
        guard stored < log.offset(of: Self.reader) else { return }
        state.withLock { $0.rebuilds += 1 }
        messages(
            .error,
            "events: processed events are missing, because their file was emptied, deleted, replaced or damaged; what "
                + "the log still has is processed again, and earlier events are lost unless a copy of the file is "
                + "restored")
    }

    /// Processes everything that is in the log. Blocks.
    package func processAll() throws { while try processNext() {} }

    private func write(
        _ records: [EventLogRecord], _ known: Set<String>?, next: Int64, released: [Int64]
    ) throws {
        let parser = EventBatchParser()
        var page = ProcessedPage(next: next)
        page.released = released
        page.storesFirstOfDay = options.storesFirstOfDay
        for record in records {
            let rows = parser.rows(of: record)
            if let known, rows.count > 0, !known.contains(rows.string(rows.projectID) ?? "") {
                page.unknown.append(rows)
            } else {
                page.rows.append(rows)
            }
        }
        let counts = try store.write(page)
        state.withLock { state in
            state.counts = state.counts + counts
            state.exposures.add(counts.arms, isKnown: hasArm)
        }
        recent.add(page)
    }

    /// Processes the bodies in quarantine of projects that have become known.
    private func releaseQuarantine() throws {
        let known = projects()
        let earlier = state.withLock { $0.known }
        guard known != earlier else { return }
        let count = try withQuarantineLocked {
            let records = try store.quarantined { known?.contains($0) ?? true }
            if !records.isEmpty {
                try write(records, nil, next: try store.offset(), released: records.map(\.offset))
            }
            return records.count
        }
        if count > 0 { messages(.info, "events: \(count) requests of projects that were unknown are processed") }
        state.withLock { $0.known = known }
    }
}
