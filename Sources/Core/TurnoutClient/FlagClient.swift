/// Decides which variation each user gets.
///
/// ```swift
/// let client = try FlagClient(datafile: bytes)
/// let ada = client.user("ada", attributes: ["country": "US"])
/// if ada.decide("checkout").isEnabled { … }
/// try ada.track("purchase", tags: ["revenue": 4250])
/// ```
///
/// One client serves a whole program; it can be used concurrently from any number of threads and tasks. A newer
/// datafile takes effect with the next decision; each decision uses a single datafile.
public final class FlagClient: Sendable {
    /// The parts of a datafile that cached segments depend on.
    private struct SegmentInputs: Equatable {
        let integrations: [Integration]
        let candidates: Set<String>

        init(_ project: Project) {
            integrations = project.integrations
            candidates = Set(project.qualifiedSegments)
        }
    }

    /// Finishes sequences when the client and its users are released.
    private final class End: Sendable {
        private let signals: [ChangeSignal]
        init(_ signals: [ChangeSignal]) { self.signals = signals }
        deinit { for signal in signals { signal.finish() } }
    }

    /// Keeps the reference count, which each copy of a user changes, off the cache line of the properties.
    private let cacheLinePaddingOfCount: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0, 0, 0, 0, 0, 0, 0, 0
    )
    let configuration: ClientConfiguration
    let runtime: DecisionRuntime
    let updater: ProjectUpdater
    let hub: NotificationHub
    let listenerQueue: ListenerQueue
    let profiles: (any ProfileAccess)?
    let events: EventQueue
    let reporter: SegmentReporter
    let segments: SegmentCache<SegmentError>
    let valueProblems: ValueProblems
    let hooks: HookChain?
    let decisionCounts: DecisionCounts?
    /// Sent when a datafile or a forced variation may change decisions.
    let decisionSignal: ChangeSignal
    /// Sent when the datafile, an error or staleness changes.
    let statusSignal: ChangeSignal
    private let end: End
    /// The replicas by user; nil in a replica.
    private let replicas: Sharded<FlagClient?>?

    /// Creates a client without a datafile: decisions are ``DecisionStage/notReady`` until ``start()`` or
    /// ``update(to:)``.
    public init(_ configuration: ClientConfiguration = ClientConfiguration()) {
        let log = configuration.log
        let listenerQueue = ListenerQueue(configuration.listenerOptions, log: log)
        let hub = NotificationHub(queue: listenerQueue, isCounting: configuration.countsDecisions)
        let (decisionSignal, statusSignal) = (ChangeSignal(), ChangeSignal())
        let profiles = configuration.profiles.map { StoreAccess($0, log: log) }
        let reporter = configuration.segmentReporter(reportingTo: statusSignal)
        let segments = SegmentCache<SegmentError>(
            options: configuration.segmentOptions, uptime: configuration.clock.stopwatch())
        let inputs = Locked<SegmentInputs?>(nil)
        let events = configuration.startedQueue(reportingTo: statusSignal)
        var services = configuration.runtimeServices
        services.profiles = profiles
        services.events = events
        hooks = HookChain(configuration.hooks)
        services.hooks = hooks
        services.onInstall = { runtime in
            defer { decisionSignal.send() }
            inputs.withLock { inputs in
                let newest = runtime.project.map { SegmentInputs($0) }
                // Reset after installing, so that a response for the earlier services is not cached for the new ones.
                if let newest, inputs != newest { segments.reset() }
                inputs = newest ?? inputs
            }
            reporter.update { runtime.project }
        }
        let runtime = DecisionRuntime(services)
        self.configuration = configuration
        self.runtime = runtime
        (self.hub, self.listenerQueue) = (hub, listenerQueue)
        (self.profiles, self.events, self.reporter, self.segments) = (profiles, events, reporter, segments)
        (self.decisionSignal, self.statusSignal) = (decisionSignal, statusSignal)
        end = End([decisionSignal, statusSignal])
        replicas = Sharded(capacity: 0, bits: 6) { _ in nil }
        valueProblems = ValueProblems(log: log)
        decisionCounts = configuration.countsDecisions ? DecisionCounts() : nil
        let monitor = DatafileMonitor(
            maximumAge: configuration.maximumDatafileAge, clock: configuration.clock,
            wallClock: configuration.wallClock, log: log, changes: statusSignal
        ) { [weak hub] in hub?.post(.stalenessChange(isStale: $0)) }
        updater = ProjectUpdater(
            runtime, source: configuration.datafiles, bundled: configuration.bundledDatafile,
            prefersHigherRevision: configuration.prefersHigherRevision, schedule: configuration.pollingSchedule(),
            monitor: monitor
        ) { hub.post(.datafileChange($0)) }
    }

    /// Creates a replica, which shares everything with its client.
    private init(of client: FlagClient) {
        (configuration, runtime, updater) = (client.configuration, client.runtime, client.updater)
        (hub, listenerQueue, profiles, events) = (client.hub, client.listenerQueue, client.profiles, client.events)
        (reporter, segments, valueProblems) = (client.reporter, client.segments, client.valueProblems)
        (hooks, decisionCounts) = (client.hooks, client.decisionCounts)
        (decisionSignal, statusSignal, end) = (client.decisionSignal, client.statusSignal, client.end)
        replicas = nil
    }

    /// What the context of a user refers to: a replica for a group of users. With a single object, threads would
    /// contend: each copy of a context counts a reference, which moves a cache line between processors.
    func replica(forUser id: String) -> FlagClient {
        guard let replicas else { return self }
        return replicas.withLock(of: ByteKey(id).fingerprint) { replica in
            if let replica { return replica }
            let new = FlagClient(of: self)
            replica = new
            return new
        }
    }

    /// Creates a client with a datafile.
    ///
    /// - Throws: ``StartError`` if the datafile cannot be used.
    public convenience init(
        datafile: [UInt8], _ configuration: ClientConfiguration = ClientConfiguration()
    ) throws(StartError) {
        self.init(configuration)
        try updater.start(with: datafile)
    }

    /// Creates a client with the datafile in a file.
    ///
    /// ```swift
    /// let client = try FlagClient(datafileAt: "Examples/Shop/datafile.json")
    /// ```
    ///
    /// Reads the file once, blocking the calling thread. For a datafile that a server updates, see
    /// ``ClientConfiguration/datafiles``.
    ///
    /// - Parameters:
    ///   - path: The path of the file. A relative one starts from the current directory.
    ///   - configuration: The services and options. Default: the standard ones.
    /// - Throws: ``StartError/file(path:cause:)`` with the path and the cause.
    public convenience init(
        datafileAt path: String, _ configuration: ClientConfiguration = ClientConfiguration()
    ) throws(StartError) {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try FileContents.read(path) } catch { throw .file(path: path, cause: error) }
        do throws(StartError) { try self.init(datafile: bytes, configuration) } catch .datafile(let error) {
            throw .file(path: path, cause: error)
        }
    }

    /// Returns a user to decide for.
    ///
    /// - Parameters:
    ///   - id: The user's id, any string. The same id always gets the same variations.
    ///   - attributes: The user's attributes. Default: none.
    /// - Returns: The user, bound to this client.
    public func user(_ id: String, attributes: Attributes = [:]) -> UserContext {
        UserContext(client: self, user: User(id, attributes: attributes))
    }

    /// Returns a user to decide for, with attributes from variables, optionals and enumerations. Nil leaves an
    /// attribute out.
    ///
    /// ```swift
    /// client.user("ada", attributes: ["country": account.country, "plan": Plan.gold, "orders": orders.count])
    /// ```
    @_disfavoredOverload
    public func user(
        _ id: String, attributes: KeyValuePairs<String, (any AttributeConvertible)?>
    ) -> UserContext {
        UserContext(client: self, user: User(id, attributes: attributes))
    }

    /// The datafile in use, or nil if there is none yet.
    public var project: Project? { runtime.project }

    /// The id of this device, or nil. See ``ClientConfiguration/deviceID``.
    public var deviceID: DeviceID? { configuration.deviceID }

    /// The number of events that were given up, by reason: impressions, conversions and segment events.
    public var lostEvents: EventLosses { events.losses + reporter.queue.losses }

    /// The profile store failures during decisions. Stores that wrap other stores count background failures themselves.
    public var profileFailures: ProfileFailures { profiles?.failures ?? ProfileFailures() }

    // MARK: Forced variations

    /// Puts a user into a variation of an experiment, replacing bucketing. Holdouts and non-running experiments take
    /// precedence. Kept in memory, across datafiles.
    ///
    /// - Parameters:
    ///   - variationKey: The key of the variation; surrounding blanks are ignored. Nil removes the forced variation.
    ///   - experimentKey: The key of the experiment.
    ///   - userID: The user's id.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    @discardableResult
    public func forceVariation(
        _ variationKey: String?, inExperiment experimentKey: String, forUser userID: String
    ) -> Bool {
        defer { decisionSignal.send() }
        return runtime.forceVariation(variationKey, inExperiment: experimentKey, forUser: userID)
    }

    /// The key of the variation that ``forceVariation(_:inExperiment:forUser:)`` set for a user, or nil.
    public func forcedVariation(inExperiment experimentKey: String, forUser userID: String) -> String? {
        runtime.forcedVariation(inExperiment: experimentKey, forUser: userID)
    }

    // MARK: Closing

    /// Stops background work: ends polling and sequences of decisions, calls the remaining listeners, delivers events
    /// and stores assignments, as far as the limit allows. The client can still decide afterwards.
    ///
    /// - Parameter limit: The total time; listeners get half of it. Default: 10 seconds.
    public func close(within limit: Duration = .seconds(10)) async {
        stopPolling()
        decisionSignal.finish()
        let elapsed = configuration.clock.stopwatch()
        // Each slow step leaves half of the remaining time to the next ones.
        let drained: Void? = await TurnoutClient.value(within: limit / 2, on: configuration.clock) { [hub] in
            await hub.drain()
        }
        if drained == nil { configuration.log(.warning, "closed while a listener is stuck") }
        let left = await runtime.waitForUnfinishedCalls(within: (limit - elapsed()) / 2)
        if left > 0 { configuration.log(.warning, "closed while \(left) calls wait for a slow store") }
        let rest = limit - elapsed()
        async let segmentEvents: Void = reporter.queue.close(within: rest)
        async let assignments: Void? = profiles?.flush(within: rest)
        await events.close(within: rest)
        await segmentEvents
        await assignments
    }
}
