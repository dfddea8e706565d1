package import TurnoutClient
package import TurnoutEngine

/// Everything that a server does with events: receives, processes, forwards them and writes them to an engine.
///
/// ```text
/// POST /v1/events ─┐
/// own decisions ───┴─► log ─┬─► processing ─► exposures, conversions, visitors
///                           ├─► writing ─► an engine, such as ClickHouse
///                           └─► forwarding ─► another intake
/// ```
package final class EventService: Sendable {
    package struct Options: Sendable {
        /// How events are processed, and how long they are kept.
        package var processing = EventProcessing.Options()
        /// The address to forward events to. Default: nil, they stay here.
        package var forwardingAddress: String?
        package var forwarding = EventForwarding.Options()
        /// Whether decisions wait until their events are in the log. Default: false.
        package var decisionsWait = false
        /// The visitors whom results leave out, as ``ResultExclusion`` reads them. Default: none.
        package var exclusions: [String] = []
        /// The days after the stop of an experiment in which conversions count. Default: 0.
        package var daysAfterStop = 0

        package init() {}
    }

    /// Receives the impressions and conversions of the server's own decisions.
    package let sink: any EventSink
    package let routes: [Route]

    /// The last events.
    package var recent: RecentEvents { processing.recent }

    /// Tells that there may be something to process.
    package func wake() { processing.wake() }

    private let log: SegmentLog
    private let store: EventDatabase
    private let processing: EventProcessing
    private let forwarding: EventForwarding?
    private let writing: EngineWriting?
    private let forced: ForcedVisitors
    private let room: EventLogRoom
    private let wallClock: any WallClock
    private let messages: any Log

    /// Creates the service, which does not process yet.
    ///
    /// - Parameters:
    ///   - log: Keeps the received bodies.
    ///   - store: Receives the processed events.
    ///   - options: The options. Default: the standard ones.
    ///   - datafiles: The datafiles, whose projects are known. Default: nil, all projects are.
    ///   - beforeExpiry: Called before old events are deleted. Default: does nothing.
    ///   - transport: Sends forwarded events. Default: nil, nothing is forwarded.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - wallClock: Provides the times of receipt. Default: the system's.
    ///   - random: The source of jitter. Default: the system's.
    ///   - refused: Counts bodies that cannot be read. Default: a count of its own.
    ///   - messages: Receives failures.
    package init(
        _ log: SegmentLog, into store: EventDatabase, _ options: Options = Options(),
        datafiles: DatafileDirectory? = nil, beforeExpiry: @escaping @Sendable () throws -> Void = {},
        transport: (any Transport)? = nil,
        clock: any Clock<Duration> = .continuous, wallClock: any WallClock = .system,
        random: any RandomSource = .system, refused: RefusedBodies = RefusedBodies(), messages: any Log
    ) {
        (self.log, self.store, self.wallClock, self.messages) = (log, store, wallClock, messages)
        let known = datafiles.map { directory in
            DatafileProjection(of: directory) { directory in
                Dictionary(grouping: directory.sdkKeys.compactMap { directory[$0]?.project }, by: \.projectID)
            }
        }
        let history = datafiles.map {
            ExperimentHistory(of: $0, exclusions: options.exclusions, daysAfterStop: options.daysAfterStop)
        }
        forced = ForcedVisitors(wallClock)
        processing = EventProcessing(
            log, into: store, options.processing, projects: { known.map { Set($0.value.keys) } },
            hasArm: { arm in known.map { $0.value[arm.project]?.contains { $0.has(arm) } ?? false } ?? true },
            beforehand: { [forced] rebuilds in
                // Before there are events.
                try store.isImported()
                try history?.write(to: store, rebuilds: rebuilds)
                try forced.write(to: store)
            }, beforeExpiry: beforeExpiry, clock: clock, wallClock: wallClock, random: random, messages: messages)
        let wake = { @Sendable [processing] in processing.wake() }
        sink = LogEventSink(log, waits: options.decisionsWait, wallClock: wallClock, onAppend: wake)
        routes =
            EventIntake(log, wallClock: wallClock, refused: refused, onAppend: wake).routes + [processing.recent.route]
        // Bodies of a project that becomes known leave quarantine.
        _ = datafiles?.onChange { [weak processing] _ in processing?.wake() }
        if let address = options.forwardingAddress, let transport {
            forwarding = EventForwarding(
                log, to: address, over: transport, options.forwarding, clock: clock, random: random, messages: messages)
        } else {
            forwarding = nil
        }
        writing = store.engine.map { [forced] in
            EngineWriting(
                log, to: $0, rejectingInto: store, isForced: forced.contains, clock: clock, random: random,
                messages: messages)
        }
        let configured = [options.forwardingAddress.map(EventReader.forwarding), store.engine.map(EventReader.engine)]
        room = EventLogRoom(
            log, configured: configured.compactMap(\.self), clock: clock, wallClock: wallClock, messages: messages)
    }

    /// Processes and forwards until the task is canceled.
    package func run() async {
        await BlockingCall.value { [self] in
            room.forgetUnusedReaders()
            if writing != nil { prepareForEngine() }
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [room] in await room.run() }
            group.addTask { [processing] in await processing.run() }
            if let writing { group.addTask { await writing.run() } }
            if let forwarding { group.addTask { await forwarding.run() } }
        }
    }

    private func prepareForEngine() {
        do {
            try store.isImported()
            try forced.load(from: store)
            if let problem = earlierEvents { messages(.warning, "events: \(problem)") }
        } catch {
            messages.failure(.error, "events: visitors who were forced before the start are not known", error)
        }
    }

    /// Deletes everything that was received about users before the call: in the log, among the processed events, and in
    /// the engine, where it waits until the events are gone.
    ///
    /// - Returns: What was deleted.
    /// - Throws: The error of the log, of the store or of the engine. Then the call can be repeated.
    package func forget(_ users: [String]) async throws -> ForgottenEvents {
        // The server's own events may still wait for the disk.
        await log.flush()
        let forgotten = try await BlockingCall.result { [log, processing, store, forced] in
            var forgotten = ForgottenEvents()
            forgotten.requests = try log.erase(EventErasure(of: users))
            // Processing may still write rows of bodies that it read before the erasure.
            processing.waitForPartInProgress()
            processing.recent.forget(users)
            try forced.forgetKnown(writingTo: store)
            forgotten.events = try processing.withQuarantineLocked { try store.forget(users) }
            try forced.load(from: store)
            return forgotten
        }
        try await writing?.forget(users)
        return forgotten
    }

    /// Notes that the variation of a user was forced: results leave this visitor out.
    func force(_ userID: String, of projectID: String) {
        if forced.add(userID, of: projectID) { processing.wake() }
    }

    // MARK: Operations

    /// What to do about events that only this server has; nil if there are none.
    var earlierEvents: String? { store.earlierEvents }

    /// The numbers of processed events since the start.
    package var counts: ProcessedCounts { processing.counts }

    /// Why events cannot be received now; nil if they can. The server is not ready then, but continues to decide.
    package var problem: String? { log.status.problem ?? room.problem }

    /// Waits until no event that is deleted from the log by now is on its way to another intake.
    func waitForForwarding() async { await forwarding?.waitForPageInProgress() }

    /// The service's contribution to the server's readiness, status and metrics.
    package var report: ServiceReport {
        var report = ServiceReport("events")
        report.problem = { self.problem }
        report.impairment = { self.processing.problem ?? self.writing?.problem ?? self.forwarding?.problem }
        report.status = { self.write(to: &$0) }
        report.metrics = { self.metrics }
        return report
    }

    package var metrics: MetricsSnapshot {
        var snapshot = MetricsSnapshot()
        snapshot.add(log.status)
        snapshot.add(readersOf: log, now: wallClock.millisecondsSince1970())
        snapshot.add(processing.counts)
        snapshot.add(processing.exposures)
        snapshot.add(
            .counter, "turnout_event_rebuilds_total",
            "Times that processed events were missing and built again from the log.", [.init(processing.rebuilds)])
        if let writing { snapshot.add(writing) }
        if let counts = forwarding?.counts { snapshot.add(counts) }
        return snapshot
    }

    /// Writes the state of the log, of processing and of forwarding as an object. Contains no personal data.
    package func write(to writer: inout JSONWriter) {
        let status = log.status
        writer.object {
            $0.member("received", status.appended)
            $0.member("refused", status.refused)
            $0.member("logBytes", status.size)
            $0.member("unreadBytes", status.unreadSize)
            $0.member("maximumBytes", status.maximumSize)
            $0.member("rebuilds", processing.rebuilds)
            $0.member("repeatedExposures", processing.counts.repeated)
            $0.member("rejected", processing.counts.rejected)
            $0.member("isNearlyFull", status.isNearlyFull)
            $0.member("slowestReader", status.slowestReader.map { EventReader($0).description })
            $0.member("problem", problem)
            $0.member("processingProblem", processing.problem)
            $0.member("forwardingProblem", forwarding?.problem)
            guard let writing else { return }
            $0.object("engine") {
                $0.member("written", writing.counts.written)
                $0.member("rejected", writing.counts.rejected)
                $0.member("unreadBytes", writing.unreadSize)
                $0.member("problem", writing.problem)
                $0.member("earlierEvents", earlierEvents)
            }
        }
    }
}

/// What was deleted of users' events.
package struct ForgottenEvents: Sendable, Equatable {
    /// The number of processed exposures and conversions.
    package var events = 0
    /// The number of requests in the log from which events were removed.
    package var requests = 0

    package init() {}
}
