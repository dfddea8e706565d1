/// Decides which variation each user gets.
///
/// ```swift
/// let client = try Client(datafile: bytes)
/// let ada = client.user("ada", attributes: ["country": "US"])
/// if ada.decide("checkout").isEnabled { … }
/// try ada.track("purchase", tags: ["revenue": 4250])
/// ```
///
/// One client serves a whole program; it may be used from any number of threads and tasks at once. A newer datafile
/// takes effect with the next decision; each decision is made by one datafile from beginning to end.
public final class Client: Sendable {
    private struct State {
        var poller: Task<Void, Never>?
        /// How often the client was closed; a start that was under way then does not poll.
        var closeCount = 0
        /// Whether decisions are made by the bundled datafile.
        var isBundled = false
        /// The newest variations that users are forced into; kept apart from the snapshots to survive them.
        var forcedVariations: ForcedVariations?
        /// What answers about segments depend on.
        var segmentQuestion: SegmentQuestion?
        /// The attributes whose values events had to leave out.
        var unsentAttributes: Set<String> = []
    }

    private struct SegmentQuestion: Equatable {
        let integrations: [Integration]
        let candidates: Set<String>

        init(_ project: Project) {
            integrations = project.integrations
            candidates = Set(project.qualifiedSegments)
        }
    }

    /// What decisions are made by; nil: there is no datafile yet.
    package let snapshots = Striped<Snapshot>()
    /// Calls listeners.
    package let listenerQueue: ListenerQueue
    let configuration: ClientConfiguration
    let defaultOptions: DecideOptions
    let hub: NotificationHub
    let profiles: (any ProfileAccess)?
    let events: any EventSink
    /// Nil for the drop-in interfaces, which bring their own.
    let reporter: SegmentReporter?
    let predictor: Predictor?
    let segments: SegmentCache<SegmentError>
    let hasOverrides: Bool
    /// Calls of slow stores whose caller's time may be up.
    let unfinished = UnfinishedWork()
    private let state = Locked(State())

    /// Creates a client without a datafile: decisions are not ready until ``start()`` or ``update(to:)``.
    public init(_ configuration: ClientConfiguration = ClientConfiguration()) {
        self.configuration = configuration
        defaultOptions = configuration.defaultOptions
        listenerQueue = configuration.listenerQueue ?? ListenerQueue(log: configuration.log)
        hub = NotificationHub(queue: listenerQueue)
        let log = configuration.log
        profiles = configuration.profileAccess ?? configuration.profiles.map { StoreAccess($0, log: log) }
        events = configuration.eventSink ?? configuration.startedQueue()
        reporter = configuration.eventSink == nil ? SegmentReporter(configuration) : nil
        let uptime = configuration.clock.stopwatch()
        predictor = configuration.predictions.map {
            Predictor(
                source: $0, options: configuration.predictionOptions, random: configuration.random, log: log,
                clock: configuration.clock)
        }
        hasOverrides = !configuration.overrides.decisions.isEmpty
        segments = SegmentCache(options: configuration.segmentOptions, uptime: uptime)
        for problem in configuration.overrides.problems { log(.warning, "overrides: \(problem)") }
        configuration.reportPollingInterval()
    }

    /// Creates a client that decides by a datafile at once.
    ///
    /// - Throws: ``StartError``, if the datafile cannot be used.
    public convenience init(
        datafile: [UInt8], _ configuration: ClientConfiguration = ClientConfiguration()
    ) throws(StartError) {
        self.init(configuration)
        try install(datafile)
    }

    deinit { stopPolling() }

    /// A user to decide for.
    ///
    /// - Parameters:
    ///   - id: The user's id, of any form. The same id always gets the same variations.
    ///   - attributes: What is known about the user. Default: nothing.
    /// - Returns: The user, and this client with them.
    public func user(_ id: String, attributes: Attributes = [:]) -> UserContext {
        UserContext(client: self, user: User(id, attributes: attributes))
    }

    /// The datafile that decisions are made by, or nil: there is none yet.
    public var project: Project? { snapshots[0]?.project }

    /// The id of this device, or nil: it has none. See ``ClientConfiguration/deviceID``.
    public var deviceID: DeviceID? { configuration.deviceID }

    /// How many events were given up, and why: impressions, conversions and segment events.
    public var lostEvents: EventLosses { events.losses + (reporter?.queue.losses ?? EventLosses()) }

    /// What went wrong with remembering assignments, as far as decisions met it. Stores that wrap others count for
    /// themselves what went wrong behind their backs.
    public var profileFailures: ProfileFailures { profiles?.failures ?? ProfileFailures() }

    // MARK: Datafiles

    /// Decides by another datafile from now on, if its revision differs. Listeners are told.
    ///
    /// - Returns: Whether the revision differs.
    /// - Throws: ``StartError``, if the datafile cannot be used; the client goes on with the one it has.
    @discardableResult
    public func update(to datafile: [UInt8]) throws(StartError) -> Bool {
        let project = try read(datafile)
        let changed = install(project, keepsForcedVariations: true, onlyIfChanged: true)
        if changed { hub.post(.datafileChange(project)) }
        return changed
    }

    /// Reads a datafile, without using it.
    package func read(_ datafile: [UInt8]) throws(StartError) -> Project {
        let project: Project
        do throws(DatafileError) {
            project = try Project(datafile: datafile, format: configuration.datafileFormat)
        } catch { throw .datafile(error) }
        if let wanted = configuration.projectID, wanted != project.projectID {
            throw .otherProject(project.projectID)
        }
        return project
    }

    private func install(_ datafile: [UInt8]) throws(StartError) {
        install(try read(datafile), keepsForcedVariations: false)
    }

    /// Decides by a project from now on. Whether it was installed.
    @discardableResult
    package func install(
        _ project: Project, keepsForcedVariations: Bool, onlyIfChanged: Bool = false, isBundled: Bool = false
    ) -> Bool {
        let encoder = EventEncoder(
            project: project, clientName: configuration.clientName, clientVersion: configuration.clientVersion)
        let group = OutgoingEvent.Group(region: project.region, envelope: encoder.envelope)
        let installed = state.withLock { state in
            state.isBundled = isBundled
            if onlyIfChanged, snapshots[0]?.project.revision == project.revision { return false }
            if !keepsForcedVariations { state.forcedVariations = nil }
            let forced = state.forcedVariations
            let question = SegmentQuestion(project)
            snapshots.replace { number in
                Snapshot(
                    project: project.holder(number), encoder: encoder, group: group, forcedVariations: forced)
            }
            // Afterwards, or an answer to the earlier question could be kept for this one.
            if state.segmentQuestion != question { segments.reset() }
            state.segmentQuestion = question
            return true
        }
        if installed { reporter?.update { self.project } }
        let revision = project.revision
        if installed { configuration.overrides.report(to: configuration.log, for: project) }
        configuration.log(
            .info, installed ? "deciding by revision \(revision)" : "revision \(revision) is in use already")
        return installed
    }

    /// Forgets the datafile: from now on no decision is ready.
    package func uninstall() {
        state.withLock { _ in snapshots.replace { _ in nil } }
        reporter?.update { project }
    }

    // MARK: Forced variations

    /// Puts a user into a variation of an experiment, in place of what their bucket says. Holdouts, and experiments
    /// that are not running, go first. Kept in memory, across datafiles.
    ///
    /// - Parameters:
    ///   - variationKey: The key of the variation; blanks around it do not count. Nil: no more.
    ///   - experimentKey: The key of the experiment.
    ///   - userID: The user's id.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    @discardableResult
    public func forceVariation(
        _ variationKey: String?, inExperiment experimentKey: String, forUser userID: String
    ) -> Bool {
        state.withLock { state in
            guard let project = snapshots[0]?.project, let experiment = project.experiment(experimentKey) else {
                return false
            }
            guard let variationKey else {
                state.forcedVariations?.set(nil, experimentID: experiment.id, userID: userID)
                return true
            }
            let key = variationKey.trimmingBlanks
            guard let variation = experiment.variations.first(where: { $0.key == key }) else { return false }
            let forced = state.forcedVariations ?? ForcedVariations()
            forced.set(variation.id, experimentID: experiment.id, userID: userID)
            guard state.forcedVariations == nil else { return true }
            state.forcedVariations = forced
            snapshots.replace { number in
                snapshots[number].map {
                    Snapshot(project: $0.project, encoder: $0.encoder, group: $0.group, forcedVariations: forced)
                }
            }
            return true
        }
    }

    /// The key of the variation that a user was put into, or nil: none.
    public func forcedVariation(inExperiment experimentKey: String, forUser userID: String) -> String? {
        guard let snapshot = snapshots[0], let experiment = snapshot.project.experiment(experimentKey),
            let id = snapshot.forcedVariations?[userID][experiment.id]
        else { return nil }
        return experiment.variations.first { $0.id == id }?.key
    }

    // MARK: Attributes that events cannot carry

    /// Writes a warning, once for each attribute of the project, about values that events leave out.
    func warn(ofUnsent attributes: Attributes, _ project: Project) {
        for name in attributes.unsendableNames { warn(ofUnsent: name, project) }
    }

    private func warn(ofUnsent name: String, _ project: Project) {
        // Bounded, because names may be made up by the caller's users.
        let isNew = state.withLock { state in
            state.unsentAttributes.count < 1_000 && state.unsentAttributes.insert(name).inserted
        }
        guard isNew, project.declaredAttributes.contains(where: { $0.key == name }) else { return }
        configuration.log(.warning, "events leave out the attribute \(name): they cannot carry its value")
    }

    // MARK: Polling and the end

    /// Whether decisions are made by the bundled datafile, or there is none.
    package var hasNothingFromSource: Bool { state.withLock { $0.isBundled || snapshots[0] == nil } }

    /// How often the client was closed.
    var closeCount: Int { state.withLock { $0.closeCount } }

    /// Keeps a task that is cancelled when the client is closed; an earlier one ends. If the client was closed since it
    /// was counted, the task ends at once.
    func poll(_ task: Task<Void, Never>, unlessClosedSince count: Int) {
        let ended = state.withLock { state in
            guard state.closeCount == count else { return Optional(task) }
            defer { state.poller = task }
            return state.poller
        }
        ended?.cancel()
    }

    /// Ends what runs by itself: no more polling, listeners have been called, events have been delivered and
    /// assignments stored as far as possible. The client still decides.
    ///
    /// - Parameter limit: How long all of this may take, half of it listeners. Default: 10 seconds.
    public func close(within limit: Duration = .seconds(10)) async {
        stopPolling()
        let elapsed = configuration.clock.stopwatch()
        // What takes long leaves what comes after it half of the time.
        let drained: Void? = await value(within: limit / 2, on: configuration.clock) { [hub] in await hub.drain() }
        if drained == nil { configuration.log(.warning, "closed while a listener is stuck") }
        await unfinished.wait(within: (limit - elapsed()) / 2, on: configuration.clock)
        let left = unfinished.count
        if left > 0 { configuration.log(.warning, "closed while \(left) calls wait for a slow store") }
        let rest = limit - elapsed()
        async let segmentEvents: Void? = reporter?.queue.close(within: rest)
        async let assignments: Void? = profiles?.flush(within: rest)
        await events.close(within: rest)
        await segmentEvents
        await assignments
    }

    /// No longer asks for newer datafiles by itself.
    package func stopPolling() {
        let poller = state.withLock { state in
            state.closeCount += 1
            return state.poller
        }
        poller?.cancel()
    }
}
