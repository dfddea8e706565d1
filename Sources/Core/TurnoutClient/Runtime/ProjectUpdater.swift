/// Installs datafiles in a ``DecisionRuntime``: the newest one of a source, the copy that the source cached, or the
/// bundled one. Polls for newer ones, and requests one when the source reports a change.
package final class ProjectUpdater: Sendable {
    /// Background work of a running client.
    private enum Work { case polling, following }

    private struct State {
        var tasks: [Work: Task<Void, Never>] = [:]
        /// How often polling was stopped. A start that was in progress then does not begin to poll.
        var stopCount = 0
    }

    private let runtime: DecisionRuntime
    private let source: (any DatafileSource)?
    private let bundled: [UInt8]?
    private let prefersHigherRevision: Bool
    private let schedule: PollingSchedule?
    private let onChange: @Sendable (Project) -> Void
    package let monitor: DatafileMonitor
    private let state = Locked(State())
    private var log: any Log { runtime.services.log }

    /// Creates an inactive updater.
    ///
    /// - Parameters:
    ///   - runtime: Decides with the datafiles.
    ///   - source: The source of datafiles. Nil: they come only from ``update(to:)``.
    ///   - bundled: The datafile that is bundled with the program, used if the source has none.
    ///   - prefersHigherRevision: Whether the bundled datafile takes precedence over a cached one of the same project
    ///     with a lower revision. Default: false.
    ///   - schedule: The polling schedule. Default: nil, no polling.
    ///   - monitor: Records the datafile's state. Default: a new one, with the runtime's clocks.
    ///   - onChange: Called when a running client received another datafile. Default: does nothing.
    package init(
        _ runtime: DecisionRuntime, source: (any DatafileSource)?, bundled: [UInt8]?,
        prefersHigherRevision: Bool = false, schedule: PollingSchedule? = nil, monitor: DatafileMonitor? = nil,
        onChange: @escaping @Sendable (Project) -> Void = { _ in }
    ) {
        self.runtime = runtime
        self.source = source
        self.bundled = bundled
        self.prefersHigherRevision = prefersHigherRevision
        self.schedule = schedule
        self.onChange = onChange
        let services = runtime.services
        self.monitor =
            monitor ?? DatafileMonitor(clock: services.clock, wallClock: services.wallClock, log: services.log)
    }

    deinit { stop() }

    // MARK: Starting

    /// Installs the newest datafile of the source; if that fails, the cached one, then the bundled one. Then polls, if
    /// there is a schedule.
    ///
    /// - Throws: ``StartError`` if none of them can be used. Polling begins nevertheless, so a server that starts
    ///   during an outage recovers by itself.
    package func start() async throws(StartError) {
        monitor.start()
        let count = stopCount
        defer { startUpdating(refreshing: false, unlessStoppedSince: count) }
        guard let failure = await installNewest() else { return }
        let isUnchanged = if case .unavailable(nil) = failure { true } else { false }
        if isUnchanged, !runtime.lacksDownloadedProject { return }
        let earlier = try? earlierDatafile(isConfirmed: isUnchanged)
        report(failure, insteadUsing: earlier)
        // Already started, and nothing has changed since.
        if isUnchanged, runtime.project != nil, earlier?.isBundled != false { return }
        guard let earlier else { throw failure }
        install(earlier.project, earlier.origin)
    }

    /// Installs the cached or the bundled datafile, without network I/O. Then polls, if there is a schedule.
    ///
    /// - Parameter refreshing: Whether to request the newest datafile afterwards, in a separate task.
    /// - Throws: ``StartError`` if neither datafile can be used. Polling begins nevertheless.
    package func startFromCacheOrBundle(refreshing: Bool) throws(StartError) {
        monitor.start()
        let count = stopCount
        defer { startUpdating(refreshing: refreshing, unlessStoppedSince: count) }
        let earlier = try earlierDatafile(isConfirmed: false)
        install(earlier.project, earlier.origin)
    }

    /// Installs a datafile that the program passed, at the start.
    ///
    /// - Throws: ``StartError`` if it cannot be used.
    package func start(with datafile: [UInt8]) throws(StartError) { install(try runtime.read(datafile), .passed) }

    private func install(_ project: Project, _ origin: DatafileStatus.Origin) {
        runtime.install(project, keepsForcedVariations: false, origin: origin)
        monitor.installed(project, origin)
    }

    /// Logs which datafile a start uses instead of the newest. If there is none, the start throws the failure.
    private func report(_ failure: StartError, insteadUsing datafile: EarlierDatafile?) {
        guard let datafile else { return }
        let earlier = "the \(datafile.isBundled ? "bundled" : "cached") datafile, revision \(datafile.project.revision)"
        guard case .unavailable(nil) = failure else { return log(.warning, "\(failure); using \(earlier)") }
        let reason = source == nil ? "no datafile source" : "the datafile has not changed"
        log(.info, "\(reason); using \(earlier)")
    }

    /// Installs the newest datafile.
    ///
    /// - Returns: Why that failed, or nil. ``StartError/unavailable(_:)`` without an error means that there is no
    ///   source, or that the datafile has not changed.
    private func installNewest() async -> StartError? {
        guard let source else { return .unavailable(nil) }
        do throws(StartError) {
            guard let project = try await Self.newest(from: source)?.project else {
                monitor.requestEnded(.unchanged)
                return .unavailable(nil)
            }
            try runtime.check(project)
            install(project, .downloaded)
            monitor.requestEnded(.changed)
            return nil
        } catch {
            if !error.isCancellation { monitor.requestEnded(.failed(error)) }
            return error
        }
    }

    /// The datafile that is available without a network: the cached one, if the source has confirmed that it is the
    /// newest, or else the cached or the bundled one.
    private func earlierDatafile(isConfirmed: Bool) throws(StartError) -> EarlierDatafile {
        var cached = source?.cached()?.project
        if let project = cached, (try? runtime.check(project)) == nil { cached = nil }
        let isOnlyChoice = isConfirmed && cached != nil
        return try EarlierDatafile(cached: cached, prefersHigherRevision: prefersHigherRevision, log: log) {
            () throws(StartError) in
            guard let bundled, !isOnlyChoice else { throw .unavailable(nil) }
            return try runtime.read(bundled)
        }
    }

    // MARK: Updating

    /// Requests the newest datafile, and installs it if its content differs.
    ///
    /// - Returns: Whether it was installed.
    /// - Throws: ``StartError`` if the request failed or the datafile cannot be used.
    package func refresh() async throws(StartError) -> Bool {
        guard let source else { throw .unavailable(nil) }
        do throws(StartError) {
            return try update(toNewest: try await Self.newest(from: source), from: source)
        } catch {
            if !error.isCancellation { monitor.requestEnded(.failed(error)) }
            throw error
        }
    }

    /// Installs a datafile if its content differs. Forced variations stay in effect.
    ///
    /// - Returns: Whether it was installed.
    /// - Throws: ``StartError`` if it cannot be used.
    package func update(to datafile: [UInt8]) throws(StartError) -> Bool {
        do throws(StartError) { return try update(to: try runtime.read(datafile), .passed) } catch {
            monitor.refused(error)
            throw error
        }
    }

    private func update(to project: Project, _ origin: DatafileStatus.Origin) throws(StartError) -> Bool {
        try runtime.check(project)
        let changed = runtime.install(project, keepsForcedVariations: true, onlyIfChanged: true, origin: origin)
        monitor.installed(project, origin)
        if changed { onChange(project) }
        return changed
    }

    private static func newest(from source: any DatafileSource) async throws(StartError) -> Datafile? {
        do { return try await source.newest() } catch let error as DatafileError { throw .datafile(error) } catch {
            // A source of files names the file.
            throw error as? StartError ?? .unavailable(error)
        }
    }

    private func update(toNewest newest: Datafile?, from source: any DatafileSource) throws(StartError) -> Bool {
        let changed: Bool
        if let newest {
            changed = try update(to: newest.project, .downloaded)
        } else if runtime.lacksDownloadedProject, let cached = source.cached() {
            // Unchanged: the cached datafile is the newest, even if another one was preferred at the start.
            changed = try update(to: cached.project, .cached)
        } else {
            changed = false
        }
        monitor.requestEnded(newest == nil ? .unchanged : .changed)
        return changed
    }

    // MARK: Polling

    /// How often polling was stopped.
    private var stopCount: Int { state.withLock { $0.stopCount } }

    /// Stops polling and detecting staleness. A later start does both again.
    package func stop() {
        let tasks = state.withLock { state in
            state.stopCount += 1
            return state.tasks
        }
        for task in tasks.values { task.cancel() }
        monitor.nextPoll(after: nil)
        monitor.streamStopped()
        monitor.stop()
    }

    /// Whether the updater finds a newer datafile without another call.
    var updatesByItself: Bool { source != nil && schedule != nil || source is any ChangeReportingSource }

    /// Replaces a task and cancels the previous one. If polling was stopped after `count` was read, the new one is
    /// canceled instead.
    private func replace(_ work: Work, with task: Task<Void, Never>, unlessStoppedSince count: Int) {
        let ended = state.withLock { state in
            guard state.stopCount == count else { return Optional(task) }
            return state.tasks.updateValue(task, forKey: work)
        }
        ended?.cancel()
    }

    /// Polls, and follows the changes that the source reports.
    private func startUpdating(refreshing: Bool, unlessStoppedSince count: Int) {
        startPolling(refreshing: refreshing, unlessStoppedSince: count)
        startFollowing(unlessStoppedSince: count)
    }

    private func startPolling(refreshing: Bool, unlessStoppedSince count: Int) {
        guard let source, refreshing || schedule != nil else { return }
        let (schedule, clock, log) = (schedule, runtime.services.clock, log)
        let task = Task.detached { [weak self, weak monitor] in
            var schedule = schedule
            var pause = refreshing ? .zero : schedule?.delay()
            while let delay = pause {
                if !Task.isCancelled { monitor?.nextPoll(after: delay) }
                if delay > .zero, (try? await clock.pause(for: delay)) == nil { return }
                monitor?.nextPoll(after: nil)
                do throws(StartError) {
                    // The task holds no reference to the updater during a request or between requests.
                    let newest = try await Self.newest(from: source)
                    // A later start may have replaced this task. Install the datafile anyway, because the source
                    // returns it only once.
                    guard let self, self.stopCount == count else { return }
                    _ = try self.update(toNewest: newest, from: source)
                    schedule?.succeeded()
                    pause = schedule?.delay()
                } catch {
                    guard !Task.isCancelled else { return }
                    monitor?.requestEnded(.failed(error))
                    guard !error.isPermanent else {
                        return log(.error, "\(error); polling has stopped, because another request cannot succeed")
                    }
                    schedule?.failed(retryAfter: error.retryAfter, hasDatafile: self?.runtime.project != nil)
                    pause = schedule?.delay()
                    let next = pause.map { "; next request in \($0.roundedToSeconds.logText)" } ?? ""
                    log(.warning, "\(error)\(next)")
                }
            }
        }
        replace(.polling, with: task, unlessStoppedSince: count)
    }

    // MARK: Following changes

    private func startFollowing(unlessStoppedSince count: Int) {
        guard let source = source as? any ChangeReportingSource else { return }
        let services = runtime.services
        let follower = ChangeFollower(source, monitor, services, polls: schedule != nil) {
            [weak self] () async throws(StartError) in
            // The task holds no reference to the updater during a request or between requests.
            let newest = try await Self.newest(from: source)
            guard let self, self.stopCount == count else { return }
            _ = try self.update(toNewest: newest, from: source)
        }
        let task = Task.detached { await follower.run() }
        replace(.following, with: task, unlessStoppedSince: count)
    }
}

extension Duration {
    /// Rounded to the nearest second, if it is at least one second.
    fileprivate var roundedToSeconds: Duration { self < .seconds(1) ? self : .seconds((self / .seconds(1)).rounded()) }
}
