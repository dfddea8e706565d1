package import TurnoutClient

/// Relays datafiles of another server: the vendor's network, or another Turnout.
///
/// A datafile is downloaded when an SDK key is first asked for, then at intervals, and when the other server announces
/// a change, if the source listens to its stream. The last good one stays in use when the other server
/// is gone, also across a restart, if the cache is durable. Keys that nothing asks for are forgotten.
package final class UpstreamDatafiles: Sendable {
    package struct Options: Sendable {
        /// The time between two requests for a key. Default: a minute.
        package var pollingInterval = Duration.seconds(60)
        /// The time for which a key that the other server does not know is refused without a new request. Default:
        /// 30 seconds.
        package var refusalTime = Duration.seconds(30)
        /// The time after which a key that nothing has asked for is forgotten. Default: an hour.
        package var idleTime = Duration.seconds(3_600)
        /// The maximum number of keys. Further ones are refused. Default: 1,000.
        package var maximumKeys = 1_000
        /// When clients should ask again for a datafile that could not be loaded, unless the other server says when.
        /// Default: 5 seconds.
        package var retryTime = Duration.seconds(5)
        /// How long the first download of a key may take before its cached datafile is served. Default: a second.
        package var cacheTime = Duration.seconds(1)

        package init() {}
    }

    private struct Relay {
        let source: any DatafileSource
        /// Records the stream of changes.
        let monitor: DatafileMonitor
        /// Polls, and follows the stream.
        var tasks: [Task<Void, Never>] = []
        var lastUse: Duration
        /// When the datafile was last known to be the newest; at first, when it was first asked for.
        var lastCheck: Duration
    }

    private struct State {
        var relays: [String: Relay] = [:]
        var refusals: LRUCache<String, Bool>
        var isClosed = false
        /// The configured keys, which are never forgotten.
        var permanentKeys: Set<String> = []
        /// Whether their datafiles are being downloaded for the first time.
        var isStarting = false
    }

    private let directory: DatafileDirectory
    private let options: Options
    private let clock: any Clock<Duration>
    private let uptime: @Sendable () -> Duration
    private let random: any RandomSource
    private let log: any Log
    private let source: @Sendable (String) -> any DatafileSource
    private let flights = SingleFlight<String, DatafileAbsence?>()
    private let state: Locked<State>

    /// Creates a relay without keys.
    ///
    /// - Parameters:
    ///   - directory: Receives the datafiles.
    ///   - options: The intervals and limits. Default: the standard ones.
    ///   - clock: Measures intervals. Default: the system's.
    ///   - random: The source of jitter. Default: the system's.
    ///   - log: Receives failures. Default: the standard error output.
    ///   - source: Creates the source for an SDK key, such as an `HTTPDatafileSource` with a cache.
    package init(
        into directory: DatafileDirectory, _ options: Options = Options(), clock: any Clock<Duration> = .continuous,
        random: any RandomSource = .system, log: any Log = .standardError,
        source: @escaping @Sendable (String) -> any DatafileSource
    ) {
        self.directory = directory
        self.options = options
        self.clock = clock
        uptime = clock.stopwatch()
        self.random = random
        self.log = log
        self.source = source
        state = Locked(State(refusals: LRUCache(capacity: 10_000, lifetime: options.refusalTime)))
    }

    /// Downloads the datafiles of keys that are always served. Uses the cached ones of keys that cannot be downloaded.
    ///
    /// - Returns: The task, which ends when each is here, or cannot be downloaded for now.
    package func start(_ sdkKeys: [String]) -> Task<Void, Never> {
        state.withLock { ($0.permanentKeys, $0.isStarting) = (Set(sdkKeys), !sdkKeys.isEmpty) }
        return Task {
            await serve(sdkKeys)
            state.withLock { $0.isStarting = false }
        }
    }

    /// Replaces the keys that are always served, and downloads the datafiles that are missing. A key that is not among
    /// them any more is forgotten when nothing asks for it.
    package func serve(_ sdkKeys: [String]) async {
        state.withLock { $0.permanentKeys = Set(sdkKeys) }
        await withTaskGroup(of: Void.self) { group in
            for sdkKey in sdkKeys where directory[sdkKey] == nil { group.addTask { _ = await self.load(sdkKey) } }
        }
    }

    /// Whether the datafiles of the keys that are always served are being downloaded for the first time.
    package var isStarting: Bool { state.withLock { $0.isStarting } }

    /// How changes of the datafile of a key are found: with the other server's stream while it is open, which follows
    /// them at once, or by polling alone. Nil for a key that is not relayed.
    package func updates(of sdkKey: String) -> Updates? {
        state.withLock { $0.relays[sdkKey]?.monitor }.map { $0.status.stream?.isOpen == true ? .stream : .polling }
    }

    /// The time since the other server last said what the newest datafile is, by SDK key. For a key for which it never
    /// has, the time since it was first asked.
    package var ages: [String: Duration] {
        let now = uptime()
        return state.withLock { $0.relays.mapValues { now - $0.lastCheck } }
    }

    package enum Updates: String, Sendable {
        /// The other server announces them.
        case stream
        /// They are asked for at intervals.
        case polling
    }

    /// The datafile of an SDK key, which is downloaded if it is not there yet.
    ///
    /// - Throws: ``DatafileAbsence``, if there is none.
    package func datafile(_ sdkKey: String) async throws(DatafileAbsence) -> ServedDatafile {
        if let absence = await load(sdkKey) { throw absence }
        guard let datafile = directory[sdkKey] else { throw unavailable }
        return datafile
    }

    /// Downloads the datafile of an SDK key into the directory, unless it is there.
    ///
    /// - Returns: Why there is none; nil if there is one.
    package func load(_ sdkKey: String) async -> DatafileAbsence? {
        if directory[sdkKey] != nil {
            touch(sdkKey)
            return nil
        }
        let now = uptime()
        let absence = state.withLock { state -> DatafileAbsence? in
            if state.refusals.value(for: sdkKey, at: now) != nil { return .unknownKey }
            let isFull = state.relays.count >= options.maximumKeys && !state.permanentKeys.contains(sdkKey)
            return state.isClosed || isFull ? unavailable : nil
        }
        if let absence { return absence }
        return await flights.value(for: sdkKey) { await self.begin(sdkKey) }
    }

    private var unavailable: DatafileAbsence { .unavailable(retryAfter: options.retryTime) }

    /// Records that a key is in use.
    package func touch(_ sdkKey: String) {
        let now = uptime()
        state.withLock { $0.relays[sdkKey]?.lastUse = now }
    }

    /// Requests a newer datafile of a key now, in the background. Does nothing for a key that is not relayed.
    package func refresh(_ sdkKey: String) {
        guard let source = state.withLock({ $0.relays[sdkKey]?.source }) else { return }
        Task.detached { [weak self] in _ = await self?.refresh(sdkKey, from: source) }
    }

    package func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return state.relays.values.flatMap(\.tasks)
        }
        for task in tasks { task.cancel() }
    }

    private func begin(_ sdkKey: String) async -> DatafileAbsence? {
        let source = source(sdkKey)
        let error = await first(sdkKey, from: source)
        let absence = directory[sdkKey] == nil ? absence(after: error) : nil
        if let absence, !state.withLock({ $0.permanentKeys.contains(sdkKey) }) {
            // A key is remembered only if the other server knows that it does not exist.
            let now = uptime()
            if absence == .unknownKey { state.withLock { $0.refusals.save(true, for: sdkKey, at: now) } }
            // Anyone can ask for any key, and the status must not grow with them. The log has the cause.
            directory.report(nil, of: Self.name(sdkKey))
            return absence
        }
        let now = uptime()
        let monitor = DatafileMonitor(clock: clock, wallClock: .system, log: .silent)
        state.withLock { state in
            guard !state.isClosed, state.relays[sdkKey] == nil else { return }
            // These tasks are not part of the request that first needs the datafile, nor of its trace.
            let tasks = [polling(sdkKey, source), following(sdkKey, source, monitor)].compactMap { $0 }
            state.relays[sdkKey] = Relay(
                source: source, monitor: monitor, tasks: tasks, lastUse: now, lastCheck: now)
        }
        return absence
    }

    /// Requests the first datafile of a key. The cached one takes its place if that fails, or takes long.
    ///
    /// - Returns: The error, if the request has failed.
    private func first(_ sdkKey: String, from source: any DatafileSource) async -> (any Error)? {
        guard let cached = source.cached() else { return await refresh(sdkKey, from: source) }
        let error = await value(within: options.cacheTime, on: clock) { await self.refresh(sdkKey, from: source) }
        publish(cached, for: sdkKey, onlyIfMissing: true)
        return error ?? nil
    }

    private func polling(_ sdkKey: String, _ source: any DatafileSource) -> Task<Void, Never> {
        Task.detached { [weak self, options, clock, random] in
            var schedule = PollingSchedule(
                interval: options.pollingInterval, floor: .zero, random: random)
            while (try? await clock.pause(for: schedule.delay())) != nil {
                guard !Task.isCancelled, let self, await self.poll(sdkKey, source, &schedule) else { return }
            }
        }
    }

    /// Downloads the datafile whenever the other server announces a change; nil if the source has no stream.
    private func following(
        _ sdkKey: String, _ source: any DatafileSource, _ monitor: DatafileMonitor
    ) -> Task<Void, Never>? {
        guard let source = source as? any ChangeReportingSource else { return nil }
        var services = RuntimeServices()
        (services.clock, services.random) = (clock, random)
        services.log = NamedLog(name: Self.name(sdkKey), log: log)
        let follower = ChangeFollower(source, monitor, services, polls: true) {
            [weak self] () async throws(StartError) in
            if let error = await self?.refresh(sdkKey, from: source, logs: false) { throw .unavailable(error) }
        }
        return Task.detached { await follower.run() }
    }

    /// Why there is no datafile after a request for it.
    private func absence(after error: (any Error)?) -> DatafileAbsence {
        switch error as? DatafileSourceError {
        case .status(403, _), .status(404, _), .status(410, _): .unknownKey
        case .status(_, let time?): .unavailable(retryAfter: time)
        default: unavailable
        }
    }

    /// Requests a newer datafile, or forgets the key if it is idle. Returns whether polling continues.
    private func poll(_ sdkKey: String, _ source: any DatafileSource, _ schedule: inout PollingSchedule) async -> Bool {
        let now = uptime()
        let idle = state.withLock { state -> [Task<Void, Never>]? in
            guard let relay = state.relays[sdkKey] else { return [] }
            guard !state.permanentKeys.contains(sdkKey), now - relay.lastUse > options.idleTime else { return nil }
            state.relays[sdkKey] = nil
            return relay.tasks
        }
        if let idle {
            for task in idle { task.cancel() }
            directory.remove(sdkKey)
            directory.report(nil, of: Self.name(sdkKey))
            return false
        }
        if let error = await refresh(sdkKey, from: source) {
            schedule.failed(retryAfter: (error as? DatafileSourceError)?.retryAfter)
        } else {
            schedule.succeeded()
        }
        return true
    }

    /// Requests a newer datafile and publishes it.
    ///
    /// - Parameters:
    ///   - sdkKey: The key.
    ///   - source: Its source.
    ///   - logs: Whether a failure is logged here. Default: true.
    /// - Returns: The error, if the request failed.
    private func refresh(
        _ sdkKey: String, from source: any DatafileSource, logs: Bool = true
    ) async -> (any Error)? {
        do {
            // Another request may have brought a newer one meanwhile.
            if let newest = try await source.newest() { publish(source.cached() ?? newest, for: sdkKey) }
            directory.report(nil, of: Self.name(sdkKey))
            let now = uptime()
            state.withLock { $0.relays[sdkKey]?.lastCheck = now }
            return nil
        } catch {
            guard !Task.isCancelled else { return error }
            let consequence = directory[sdkKey] == nil ? "" : "; the last one stays in use"
            if logs {
                log.failure(.warning, "upstream: no newer datafile of \(Self.name(sdkKey))\(consequence)", error)
            }
            let text = error.logText
            directory.report(DatafileSourceProblem(text), of: Self.name(sdkKey))
            return error
        }
    }

    private func publish(_ datafile: Datafile, for sdkKey: String, onlyIfMissing: Bool = false) {
        let previous = directory[sdkKey]?.entityTag
        directory.publish(datafile, for: sdkKey, onlyIfMissing: onlyIfMissing)
        guard let current = directory[sdkKey], current.entityTag != previous else { return }
        let origin = onlyIfMissing ? "cached " : ""
        log(.info, "\(Self.name(sdkKey)): serving \(origin)revision \(current.project.revision)")
    }

    /// Keys are not shown in full.
    private static func name(_ sdkKey: String) -> String {
        "upstream, SDK key \(sdkKey.keyLabel)"
    }
}

/// A log whose entries begin with a name.
private struct NamedLog: Log {
    let name: String
    let log: any Log

    func isEnabled(_ level: LogLevel) -> Bool { log.isEnabled(level) }
    func write(_ level: LogLevel, _ message: String) { log.write(level, "\(name): \(message)") }
}
