import Foundation
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

    /// Loads the newest contents, or nil: they are those of the kept copy.
    private let newest: @Sendable (_ kept: DatafileCopy?) async throws -> DatafileCopy?
    private let cache: any DatafileCache
    /// What the last good configuration is kept by.
    private let key: String
    private let options: RolloutSourceOptions
    private let state = Locked(State())

    /// Creates a source that loads from a server, and has what an earlier run kept of it.
    ///
    /// - Parameters:
    ///   - url: The address; `https`, unless the transport allows more.
    ///   - transport: How to reach the server. Default: libcurl on Linux, Foundation's URL session elsewhere.
    ///   - cache: Keeps the last good configuration, by the host and a hash of the address. Default: a SQLite
    ///     file of the program.
    ///   - options: How to load. Default: the standard options.
    public convenience init(
        url: String, transport: (any Transport)? = nil, cache: (any DatafileCache)? = nil,
        options: RolloutSourceOptions = RolloutSourceOptions()
    ) {
        let transport = transport ?? ProgramStorage.transport
        self.init(cache ?? ProgramStorage.configurations, Self.cacheKey(of: url), options) { kept in
            try await Self.ask(url, over: transport, newerThan: kept, deadline: options.deadline)
        }
        do {
            if let copy = try self.cache.copy(for: key) { try accept(copy) }
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
        let read: @Sendable () throws(RolloutSourceError) -> DatafileCopy = { () throws(RolloutSourceError) in
            DatafileCopy(datafile: try RolloutSourceError.contents(ofFile: path, limit: options.maximumSize))
        }
        self.init(.memory, path, options) { kept in
            let copy = try read()
            return copy == kept ? nil : copy
        }
        do throws(RolloutSourceError) { try accept(try read()) } catch { options.log(.warning, "rollout: \(error)") }
    }

    private init(
        _ cache: any DatafileCache, _ key: String, _ options: RolloutSourceOptions,
        _ newest: @escaping @Sendable (DatafileCopy?) async throws -> DatafileCopy?
    ) {
        (self.cache, self.key, self.options, self.newest) = (cache, key, options, newest)
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
        guard let new = try await newest(kept) else { return false }
        try accept(new)
        do { try cache.keep(new, for: key) } catch {
            options.log.failure(.warning, "rollout: the configuration cannot be kept for the next start", error)
        }
        return new.datafile != kept?.datafile
    }

    private static func ask(
        _ url: String, over transport: any Transport, newerThan kept: DatafileCopy?, deadline: Duration
    ) async throws -> DatafileCopy? {
        let request = HTTPRequest(.get, url, headers: kept?.conditions ?? [:], deadline: deadline)
        let response = try await transport.send(request)
        switch response.status {
        case 200:
            let copy = DatafileCopy(response)
            return copy == kept ? nil : copy
        case 304 where kept != nil: return nil
        case 304: throw RolloutSourceError.unchangedSinceNothing
        default: throw RolloutSourceError.status(response.status, retryAfter: response.retryAfter)
        }
    }

    /// Without the address itself: it may hold what is secret.
    package static func cacheKey(of url: String) -> String {
        // FNV-1a of 64 bits.
        let hash = url.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(URL(string: url)?.host() ?? "") \(String(hash, radix: 16))"
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
