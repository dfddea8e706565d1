/// The core that all client interfaces share: the current datafile, and evaluation with its effects.
///
/// Every call is one pipeline:
///
/// 1. *Load* the user's profile.
/// 2. *Evaluate*: the engine decides, and returns the effects as values in the ``Decision``: an assignment to store,
///    an impression to send.
/// 3. *Apply* the effects: commit the assignment, send the impression.
///
/// An asynchronous call waits for slow stores when it loads and applies, and for predictions when it evaluates. A
/// synchronous call waits for stores on its own thread, and does without predictions. Notifications are up to the
/// caller, because each interface has its own.
///
/// `FlagClient`, `OptimizelyClient` and the OPTLY clients each own a runtime. It can be used from any number of
/// threads.
package final class DecisionRuntime: Sendable {
    private struct State {
        /// The current forced variations, kept apart from the snapshots because they outlive them.
        var forcedVariations: ForcedVariations?
        /// The attributes whose values were left out of events.
        var unsentAttributes: Set<String> = []
        /// Whether the project was bundled with the program.
        var isBundled = false
    }

    /// The current datafile, in one replica per stripe; nil before the first one.
    let snapshots = Striped<Snapshot>()
    let services: RuntimeServices
    package let profiles: (any ProfileAccess)?
    let events: (any EventSink)?
    let predictor: Predictor?
    let eventHooks: HookChain?
    let defaultOptions: DecideOptions
    let hasOverrides: Bool
    /// Whether decisions are logged. Read once: asking the log takes longer than a decision.
    let logsDecisions: Bool
    /// Calls to slow stores that outlive their caller's time limit.
    let unfinished = UnfinishedWork()
    private let state = Locked(State())

    /// Creates a runtime without a datafile.
    package init(_ services: RuntimeServices) {
        if !SystemTimers.prepare() {
            services.log(
                .error,
                "the process has no file descriptors left for timers: intervals and deadlines take a thread each; "
                    + "raise the limit (`ulimit -n`) or close files")
        }
        self.services = services
        profiles = services.profiles
        events = services.events
        eventHooks = services.hooks?.handlesEvents == true ? services.hooks : nil
        defaultOptions = services.defaultOptions
        hasOverrides = !services.overrides.decisions.isEmpty
        logsDecisions = services.log.isEnabled(.debug)
        predictor = services.predictions.map {
            Predictor(
                source: $0, options: services.predictionOptions, random: services.random, log: services.log,
                clock: services.clock)
        }
        for problem in services.overrides.problems { services.log(.warning, "overrides: \(problem)") }
    }

    // MARK: The project

    /// The current datafile, or nil if none was installed.
    package var project: Project? { snapshots[0]?.project }

    /// Whether there is no datafile, or only the bundled one.
    package var lacksDownloadedProject: Bool { state.withLock { $0.isBundled || snapshots[0] == nil } }

    /// Reads a datafile without installing it.
    ///
    /// - Throws: ``StartError`` if it cannot be used, or belongs to a project that the services exclude.
    package func read(_ datafile: [UInt8]) throws(StartError) -> Project {
        let project: Project
        do throws(DatafileError) {
            project = try Project(datafile: datafile, format: services.datafileFormat)
        } catch { throw .datafile(error) }
        try check(project)
        return project
    }

    /// Throws ``StartError`` if the services exclude the project.
    func check(_ project: Project) throws(StartError) {
        if let wanted = services.projectID, wanted != project.projectID { throw .otherProject(project.projectID) }
    }

    /// Installs a project. Decisions in progress finish with the previous one.
    ///
    /// - Parameters:
    ///   - project: The project.
    ///   - keepsForcedVariations: Whether ``forceVariation(_:inExperiment:forUser:)`` stays in effect.
    ///   - onlyIfChanged: Whether a project with the content of the current one is ignored. Default: false.
    ///   - origin: Where the project comes from. Default: nil, unknown.
    /// - Returns: Whether it was installed.
    @discardableResult
    package func install(
        _ project: Project, keepsForcedVariations: Bool, onlyIfChanged: Bool = false,
        origin: DatafileStatus.Origin? = nil
    ) -> Bool {
        let encoder = EventEncoder(
            project: project, clientName: services.clientName, clientVersion: services.clientVersion)
        let group = OutgoingEvent.Group(region: project.region, envelope: encoder.envelope)
        let installed = state.withLock { state in
            state.isBundled = origin == .bundled
            if onlyIfChanged, snapshots[0]?.project.contentHash == project.contentHash { return false }
            if !keepsForcedVariations { state.forcedVariations = nil }
            let forced = state.forcedVariations
            snapshots.replace { number in
                Snapshot(
                    project: project.replica(number), encoder: encoder, group: group, forcedVariations: forced)
            }
            return true
        }
        if installed {
            services.onInstall(self)
            services.overrides.report(to: services.log, for: project)
        }
        let revision = project.revision
        services.log(
            .info,
            installed
                ? "now using revision \(revision)" + (origin.map { " (\($0))" } ?? "")
                : "revision \(revision) is in use already")
        return installed
    }

    /// Removes the datafile: decisions are ``DecisionStage/notReady`` from now on.
    package func uninstall() {
        state.withLock { _ in snapshots.replace { _ in nil } }
        services.onInstall(self)
    }

    // MARK: Forced variations

    /// Puts a user into a variation of an experiment, replacing bucketing. Holdouts and non-running experiments take
    /// precedence. Kept in memory, across datafiles.
    ///
    /// - Parameters:
    ///   - variationKey: The key of the variation; surrounding blanks are ignored. Nil removes the forced variation.
    ///   - experimentKey: The key of the experiment.
    ///   - userID: The user's id.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    package func forceVariation(
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

    /// The key of the variation that ``forceVariation(_:inExperiment:forUser:)`` set for a user, or nil.
    package func forcedVariation(inExperiment experimentKey: String, forUser userID: String) -> String? {
        guard let snapshot = snapshots[0], let experiment = snapshot.project.experiment(experimentKey),
            let id = snapshot.forcedVariations?[userID][experiment.id]
        else { return nil }
        return experiment.variations.first { $0.id == id }?.key
    }

    // MARK: Attributes that events cannot carry

    /// Logs a warning, once for each attribute of the project, if events leave out its value.
    func warn(ofUnsent attributes: Attributes, _ project: Project) {
        for name in attributes.unsendableNames { warn(ofUnsent: name, project) }
    }

    private func warn(ofUnsent name: String, _ project: Project) {
        // Bounded, because the names may come from end users.
        let isNew = state.withLock { state in
            state.unsentAttributes.count < 1_000 && state.unsentAttributes.insert(name).inserted
        }
        guard isNew, project.declaredAttributes.contains(where: { $0.key == name }) else { return }
        services.log(.warning, "events leave out the attribute \(name): they cannot carry its value")
    }

    // MARK: Flushing

    /// Waits for calls to slow stores that outlived their caller.
    ///
    /// - Returns: The number of calls still running at the end of the limit.
    package func waitForUnfinishedCalls(within limit: Duration) async -> Int {
        await unfinished.wait(within: limit, on: services.clock)
        return unfinished.count
    }
}
