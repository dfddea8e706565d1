public import TurnoutClient
package import TurnoutRollouts

/// Loads a configuration from a file or a server, and keeps the last good one for starts without a network.
///
/// ```swift
/// let source = RolloutConfigurationSource(url: "https://example.com/rollout.plist")
/// manager.setup(with: source)
/// source.startRefreshing(every: .seconds(600))
/// ```
///
/// A configuration takes the place of the one before only if it can be read as a whole: a property list in XML or
/// binary, or JSON, with a dictionary of experiments. An experiment in it that is wrong gives the callers' defaults,
/// with a warning in the log. Managers that were set up with the source decide by what it loaded last.
public final class RolloutConfigurationSource: Sendable {
    private struct State {
        var configuration: RolloutConfiguration?
        /// The contents that the configuration is of.
        var copy: DatafileCopy?
        /// The refresh under way.
        var loading: Task<Bool, any Error>?
        var polling: Task<Void, Never>?
    }

    private let origin: RolloutOrigin
    private let cache: any DatafileCache
    private let options: RolloutSourceOptions
    private let state = Locked(State())

    /// Creates a source that loads from a server, and has what an earlier run kept of it.
    ///
    /// - Parameters:
    ///   - url: The address; `https`, unless the transport allows more.
    ///   - transport: How to reach the server. Default: libcurl on Linux, Foundation's URL session elsewhere.
    ///   - cache: Keeps the last good configuration by its address. Default: a SQLite file of the program.
    ///   - options: How to load. Default: the standard options.
    public convenience init(
        url: String, transport: (any Transport)? = nil, cache: (any DatafileCache)? = nil,
        options: RolloutSourceOptions = RolloutSourceOptions()
    ) {
        self.init(.server(url, transport ?? ProgramNetwork.transport), cache ?? ProgramStorage.configurations, options)
        do {
            if let copy = try self.cache.copy(for: url) { try accept(copy) }
        } catch {
            options.log.failure(.warning, "rollout: what an earlier run kept counts as none", error)
        }
    }

    /// Creates a source that loads from a file, and does so once already.
    ///
    /// - Parameters:
    ///   - path: The file. If it cannot be used, that is logged, and the next refresh tries again.
    ///   - options: How to load. Default: the standard options.
    public convenience init(file path: String, options: RolloutSourceOptions = RolloutSourceOptions()) {
        self.init(.file(path), .memory, options)
        do throws(RolloutSourceError) {
            try accept(DatafileCopy(datafile: try RolloutSourceError.contents(ofFile: path)))
        } catch { options.log(.warning, "rollout: \(error)") }
    }

    private init(_ origin: RolloutOrigin, _ cache: any DatafileCache, _ options: RolloutSourceOptions) {
        self.origin = origin
        self.cache = cache
        self.options = options
    }

    deinit { state.withLock { $0.polling }?.cancel() }

    /// What was loaded last, or nil: nothing so far.
    package var configuration: RolloutConfiguration? { state.withLock { $0.configuration } }

    // MARK: Refreshing

    /// Loads the newest configuration. Calls at the same time share one load.
    ///
    /// - Returns: Whether it is another one than before.
    /// - Throws: ``RolloutSourceError``, or a transport's error. What was there before stays.
    @discardableResult
    public func refresh() async throws -> Bool {
        let task = state.withLock { state in
            if let loading = state.loading { return loading }
            let task = Task {
                defer { self.state.withLock { $0.loading = nil } }
                return try await self.load()
            }
            state.loading = task
            return task
        }
        return try await task.value
    }

    /// Refreshes again and again, until the source is gone or ``stopRefreshing()`` is called. Failures are logged;
    /// after the second one in a row the time doubles, up to an hour.
    ///
    /// - Parameter interval: The time between two refreshes, a tenth more or less by chance.
    public func startRefreshing(every interval: Duration) {
        var schedule = PollingSchedule(interval: interval, floor: options.minimumInterval, random: options.random)
        let task = Task { [weak self, options] in
            while true {
                do {
                    guard let self else { return }
                    try await self.refresh()
                    schedule.succeeded()
                } catch {
                    schedule.failed(retryAfter: (error as? RolloutSourceError)?.retryAfter)
                    options.log.failure(.warning, "rollout: refreshing", error)
                }
                guard (try? await options.clock.sleep(for: schedule.delay())) != nil else { return }
            }
        }
        swapPolling(task)
    }

    /// Refreshes no longer by itself.
    public func stopRefreshing() { swapPolling(nil) }

    private func swapPolling(_ task: Task<Void, Never>?) {
        let earlier = state.withLock { state in
            defer { state.polling = task }
            return state.polling
        }
        earlier?.cancel()
    }

    private func load() async throws -> Bool {
        let kept = state.withLock { $0.copy }
        guard let new = try await origin.newest(than: kept, options) else { return false }
        try accept(new)
        if case .server(let url, _) = origin {
            do { try cache.keep(new, for: url) } catch {
                options.log.failure(.warning, "rollout: the configuration cannot be kept for the next start", error)
            }
        }
        return new.datafile != kept?.datafile
    }

    /// Decides by a copy from now on, if it can be used.
    private func accept(_ copy: DatafileCopy) throws(RolloutSourceError) {
        guard copy.datafile.count <= options.maximumSize else {
            throw .tooLarge(copy.datafile.count, limit: options.maximumSize)
        }
        let configuration = try RolloutConfiguration(checking: copy.datafile, log: options.log)
        state.withLock { ($0.configuration, $0.copy) = (configuration, copy) }
    }
}
