extension Client {
    /// Gets the newest datafile, and decides by it from now on. Polls for newer ones if the configuration says so.
    ///
    /// If the source has no usable datafile, the one that it kept from an earlier run is used, and if there is none
    /// either, the bundled one. See ``startAtOnce(refreshing:)`` for programs that must not wait.
    ///
    /// - Throws: ``StartError``, if none of them can be used. Starting again later is allowed.
    public func start() async throws(StartError) {
        // Also after a failure: a server that starts during an outage gets well by itself.
        let count = closeCount
        defer { startPolling(refreshing: false, unlessClosedSince: count) }
        guard let failure = await startWithNewest() else { return }
        let isUnchanged = if case .unavailable(nil) = failure { true } else { false }
        if isUnchanged, !hasNothingFromSource { return }
        configuration.log(.info, "no newer datafile, looking for an earlier one: \(failure)")
        let earlier = earlierDatafile(isConfirmed: isUnchanged)
        // Started before, and nothing has changed since.
        if isUnchanged, project != nil, earlier?.isBundled != false { return }
        guard let earlier else { throw failure }
        install(earlier.project, keepsForcedVariations: false, isBundled: earlier.isBundled)
    }

    /// Decides from now on by what is at hand: the datafile that the source kept from an earlier run, or the bundled
    /// one. Waits for nothing, so that the first screen or the first request does not either.
    ///
    /// The kept datafile goes first if it can be used and is of the bundled one's project; see
    /// ``ClientConfiguration/prefersHigherRevision``. A newer datafile is asked for afterwards, and listeners are told
    /// of it. Polls for newer ones if the configuration says so.
    ///
    /// ```swift
    /// configuration.bundledDatafile = bytes
    /// let client = Client(configuration)
    /// try client.startAtOnce()
    /// ```
    ///
    /// - Parameter refreshing: Whether to ask for a newer datafile right afterwards, in a task of its own. Default:
    ///   true. That also happens if this throws; ``project`` is there as soon as the source has one.
    /// - Throws: ``StartError``, if neither datafile can be used.
    public func startAtOnce(refreshing: Bool = true) throws(StartError) {
        let count = closeCount
        defer { startPolling(refreshing: refreshing, unlessClosedSince: count) }
        guard let earlier = earlierDatafile(isConfirmed: false) else {
            if let bundled = configuration.bundledDatafile { _ = try read(bundled) }
            throw .unavailable(nil)
        }
        install(earlier.project, keepsForcedVariations: false, isBundled: earlier.isBundled)
    }

    /// Why the newest datafile cannot be used, or nil: it is used. ``StartError/unavailable(_:)`` without an error:
    /// there is none, or none that is new.
    private func startWithNewest() async -> StartError? {
        guard let source = configuration.datafiles else { return .unavailable(nil) }
        do {
            guard let datafile = try await source.newest() else { return .unavailable(nil) }
            install(try read(datafile), keepsForcedVariations: false)
            return nil
        } catch let error as StartError {
            return error
        } catch {
            return .unavailable(error)
        }
    }

    /// The best datafile that needs no network, or nil: there is none. `isConfirmed` tells that the source knows the
    /// kept one to be the newest.
    private func earlierDatafile(isConfirmed: Bool) -> (project: Project, isBundled: Bool)? {
        let kept = configuration.datafiles?.kept().flatMap { try? read($0) }
        if isConfirmed, let kept { return (kept, false) }
        let bundled = configuration.bundledDatafile.flatMap { try? read($0) }
        guard let kept else { return bundled.map { ($0, true) } }
        guard let bundled else { return (kept, false) }
        guard kept.projectID == bundled.projectID else {
            configuration.log(
                .warning, "the kept datafile is of project \(kept.projectID), not \(bundled.projectID)")
            return (bundled, true)
        }
        if configuration.prefersHigherRevision, bundled.isNewer(than: kept) { return (bundled, true) }
        return (kept, false)
    }

    /// Asks for a newer datafile, and decides by it if there is one. Listeners are told.
    ///
    /// - Returns: Whether there was a newer one.
    /// - Throws: ``StartError``, if it could not be found out or the newer one cannot be used.
    @discardableResult
    public func refresh() async throws(StartError) -> Bool {
        guard let source = configuration.datafiles else { throw .unavailable(nil) }
        return try update(toNewest: try await Self.newest(from: source), from: source)
    }

    private static func newest(from source: any DatafileSource) async throws(StartError) -> [UInt8]? {
        do { return try await source.newest() } catch { throw .unavailable(error) }
    }

    private func update(toNewest newest: [UInt8]?, from source: any DatafileSource) throws(StartError) -> Bool {
        if let newest { return try update(to: newest) }
        // No news, so what the source kept is the newest, also if something else was preferred to start with.
        guard hasNothingFromSource, let kept = source.kept() else { return false }
        return try update(to: kept)
    }

    // MARK: Polling

    private func startPolling(refreshing: Bool, unlessClosedSince count: Int) {
        guard let source = configuration.datafiles else { return }
        let schedule = configuration.pollingSchedule
        guard refreshing || schedule != nil else { return }
        let (clock, log) = (configuration.clock, configuration.log)
        poll(
            Task { [weak self] in
                var schedule = schedule
                var isDue = refreshing
                while true {
                    if !isDue {
                        guard let schedule, (try? await clock.pause(for: schedule.delay())) != nil else { return }
                    }
                    isDue = false
                    do throws(StartError) {
                        // Nobody holds on to the client, neither between two requests nor during one.
                        let newest = try await Self.newest(from: source)
                        // A later start may have put another task in the place of this one: what is new counts all the
                        // same, for the source does not hand it out again.
                        guard let self, self.closeCount == count else { return }
                        _ = try self.update(toNewest: newest, from: source)
                        schedule?.succeeded()
                    } catch {
                        guard !Task.isCancelled else { return }
                        schedule?.failed(retryAfter: error.retryAfter)
                        log(.warning, "polling: \(error)")
                    }
                }
            }, unlessClosedSince: count)
    }
}

extension ClientConfiguration {
    /// When to poll, or nil: never.
    fileprivate var pollingSchedule: PollingSchedule? {
        guard let pollingInterval, pollingInterval > .zero else { return nil }
        return PollingSchedule(interval: pollingInterval, floor: minimumPollingInterval, random: random)
    }

    /// Warns of an interval that is too short.
    func reportPollingInterval() {
        guard let pollingInterval, pollingInterval > .zero, pollingInterval < minimumPollingInterval else { return }
        log(.warning, "polling every \(pollingInterval) is too often, every \(minimumPollingInterval) it is")
    }
}

extension Project {
    /// Whether the revision is a higher number than that of an earlier datafile of the project.
    package func isNewer(than other: Project) -> Bool {
        guard let own = Int64(revision), let others = Int64(other.revision) else { return false }
        return own > others
    }
}
