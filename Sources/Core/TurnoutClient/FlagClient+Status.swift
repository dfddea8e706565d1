extension FlagClient {
    /// Whether the client has a datafile to decide with.
    public var isReady: Bool { runtime.project != nil }

    /// The state of the client: its datafile, events, assignments and listeners. Takes less than a microsecond.
    public var status: ClientStatus {
        ClientStatus(
            datafile: updater.monitor.status, events: events.status, segmentEvents: reporter.queue.status,
            profileFailures: profileFailures, waitingNotifications: listenerQueue.count,
            lostNotifications: listenerQueue.lostCount)
    }

    /// The current status, and the status after each change of the datafile, its staleness, its stream or an error.
    /// Events and decisions are not changes.
    ///
    /// ```swift
    /// for await status in client.statusChanges { print(status) }
    /// ```
    ///
    /// A slow reader sees only the latest status. The sequence ends when the client is deallocated.
    public var statusChanges: StatusChanges {
        StatusChanges(ChangeSignal.changes(of: [statusSignal])) { [weak self] in self?.status }
    }

    /// The metrics of the client: its status as numbers, and the counts of decisions if
    /// ``ClientConfiguration/countsDecisions`` is set.
    ///
    /// - Complexity: A few microseconds; with counted decisions, linear in the number of flags.
    public var metrics: MetricsSnapshot {
        var metrics = MetricsSnapshot(status)
        if let decisionCounts { metrics.add(decisionCounts) }
        return metrics
    }

    /// Waits until the client has a datafile. Starts nothing by itself: use it where another part of the program calls
    /// ``start()`` or ``run(closingWithin:)``.
    ///
    /// - Parameter limit: The longest time to wait. Default: 10 seconds.
    /// - Throws: ``NotReadyError`` after the limit, with the reason; `CancellationError` if the task is canceled.
    public func waitUntilReady(within limit: Duration = .seconds(10)) async throws {
        guard !isReady else { return }
        let readiness = OneShot<Void>()
        let observer = statusSignal.add { [weak self] in if self?.isReady != false { readiness.end(()) } }
        defer {
            statusSignal.remove(observer)
            readiness.end(nil)
        }
        // It may have become ready before it was observed.
        if isReady { return }
        _ = await TurnoutClient.value(
            within: limit, on: configuration.clock, executor: DispatchExecutor.blockingCallers, endsWhenCancelled: true
        ) { await readiness.value() }
        if isReady { return }
        try Task.checkCancellation()
        throw NotReadyError(limit: limit, status: status)
    }
}

/// A client had no datafile within the time that a caller was willing to wait.
public struct NotReadyError: Error, Sendable, CustomStringConvertible {
    /// How long the caller waited.
    public let limit: Duration
    /// The status at the end.
    public let status: ClientStatus

    init(limit: Duration, status: ClientStatus) { (self.limit, self.status) = (limit, status) }

    /// Why there is no datafile, and what happens next.
    public var description: String {
        let datafile = status.datafile
        let next = datafile.nextPoll.map { "; next request in \($0.roundedLogText)" } ?? ""
        return "the client has no datafile after \(limit.logText): \(cause)\(next)"
    }

    private var cause: String {
        let requests = status.datafile.requests
        if let error = status.datafile.lastError { return error }
        if requests.changed + requests.unchanged + requests.failed > 0 { return "the source returned none" }
        return "no request has ended yet; call start() if the client was not started"
    }
}

extension NotReadyError: PrintableError {}
