package import TurnoutClient
package import TurnoutEngine
package import TurnoutFlags

/// The current datafiles by SDK key. Sources publish to it; routes, deciding clients and streams read from it.
///
/// A datafile that cannot be parsed never replaces a good one.
package final class DatafileDirectory: Sendable {
    private struct State {
        var datafiles: [String: ServedDatafile] = [:]
        /// The latest time of a removed datafile: one that takes its place is newer.
        var lastRemoved: Int64 = 0
        var listeners: [Int: @Sendable (DatafileChange) -> Void] = [:]
        var nextListener = 0
        var problems: [String: DatafileSourceProblem] = [:]
        var designs: [String: [String: ExperimentDesign]] = [:]
        var segments: [String: [DefinedSegment]] = [:]
        var firstKeys: [String: String] = [:]
    }

    private let wallClock: any WallClock
    private let compress: @Sendable ([UInt8]) -> [UInt8]?
    private let state = Locked(State())

    /// Creates an empty directory.
    ///
    /// - Parameters:
    ///   - wallClock: Provides the times of changes. Default: the system's.
    ///   - compress: Compresses a datafile with gzip. Default: none.
    package init(
        wallClock: any WallClock = .system, compress: @escaping @Sendable ([UInt8]) -> [UInt8]? = { _ in nil }
    ) {
        self.wallClock = wallClock
        self.compress = compress
    }

    /// The datafile of an SDK key, or nil.
    package subscript(sdkKey: String) -> ServedDatafile? { state.withLock { $0.datafiles[sdkKey] } }

    /// All datafiles.
    var datafiles: [ServedDatafile] { state.withLock { Array($0.datafiles.values) } }

    /// All SDK keys, sorted.
    package var sdkKeys: [String] { state.withLock { $0.datafiles.keys.sorted() } }

    /// Publishes a datafile. Unchanged content keeps its entity tag and time, and is not reported.
    ///
    /// - Throws: `DatafileError` if it cannot be parsed; the previous one stays.
    package func publish(_ bytes: [UInt8], for sdkKey: String) throws(DatafileError) {
        if self[sdkKey]?.content.bytes == bytes { return }
        publish(try Datafile(bytes), for: sdkKey)
    }

    /// Publishes a datafile that was already parsed.
    ///
    /// - Parameters:
    ///   - datafile: The datafile.
    ///   - sdkKey: The key that it is for.
    ///   - onlyIfMissing: Whether a datafile that is there stays. Default: false.
    package func publish(_ datafile: Datafile, for sdkKey: String, onlyIfMissing: Bool = false) {
        let (bytes, project) = (datafile.bytes, datafile.project)
        if self[sdkKey]?.content.bytes == bytes { return }
        let compressed = compress(bytes).map(SharedBody.init)
        let now = wallClock.millisecondsSince1970()
        change { state in
            if onlyIfMissing, state.datafiles[sdkKey] != nil { return nil }
            let previous = state.datafiles[sdkKey]?.lastModified ?? state.lastRemoved
            let lastModified = max(now / 1_000, previous + 1)
            let datafile = ServedDatafile(
                sdkKey: sdkKey, content: SharedBody(bytes), compressed: compressed,
                entityTag: bytes.withUnsafeBytes { EntityTag.of($0) },
                publishedAt: now, lastModified: lastModified, lastModifiedDate: HTTPDate.text(lastModified),
                project: project)
            state.datafiles[sdkKey] = datafile
            return .published(datafile)
        }
    }

    /// Removes the datafile of an SDK key, which is unknown from now on.
    package func remove(_ sdkKey: String) {
        change { state in
            guard let removed = state.datafiles.removeValue(forKey: sdkKey) else { return nil }
            state.lastRemoved = max(state.lastRemoved, removed.lastModified)
            return .removed(sdkKey: sdkKey)
        }
    }

    // MARK: Projects

    /// Whether there is a datafile of a project.
    func hasProject(_ id: String) -> Bool {
        state.withLock { $0.datafiles.values.contains { $0.project.projectID == id } }
    }

    /// The datafile of a project for clients that name no environment: that of the project file's first one, else of
    /// the one that is called `production`, else the only one. Nil if that leaves a choice, or there is none.
    func datafile(ofProject id: String) -> ServedDatafile? {
        state.withLock { state in
            let datafiles = state.datafiles.values.filter { $0.project.projectID == id }
            if let first = datafiles.first(where: { state.firstKeys.values.contains($0.sdkKey) }) { return first }
            let production = datafiles.filter { $0.project.environmentKey == "production" }
            if production.count == 1 { return production[0] }
            return datafiles.count == 1 ? datafiles[0] : nil
        }
    }

    /// Names the SDK key of the first environment in a source; nil if the source has no order.
    func setFirst(_ sdkKey: String?, by source: String) { state.withLock { $0.firstKeys[source] = sdkKey } }

    // MARK: Problems

    /// The problems that keep sources from publishing newer datafiles, by the source's name.
    package var problems: [String: DatafileSourceProblem] { state.withLock { $0.problems } }

    /// Records what keeps a source from publishing newer datafiles; nil if nothing does.
    package func report(_ problem: DatafileSourceProblem?, of source: String) {
        state.withLock { $0.problems[source] = problem }
    }

    // MARK: Segments and experiments

    /// The segments that the projects of datafiles define.
    package var segments: [DefinedSegment] { state.withLock { $0.segments.values.flatMap(\.self) } }

    /// Replaces the segments that the projects of a source define.
    package func define(_ segments: [DefinedSegment], by source: String) {
        state.withLock { $0.segments[source] = segments.isEmpty ? nil : segments }
    }

    /// What a project file says of an experiment's results, by the rule's id; nil if no source has one.
    package func design(ofRule id: String) -> ExperimentDesign? {
        state.withLock { state in state.designs.values.lazy.compactMap { $0[id] }.first }
    }

    /// The designs of all experiments, by source and the rule's id.
    var designs: [String: [String: ExperimentDesign]] { state.withLock { $0.designs } }

    /// Replaces the designs of a source's experiments, by the rule's id, before its datafiles are published.
    package func define(_ designs: [String: ExperimentDesign], by source: String) {
        state.withLock { $0.designs[source] = designs.isEmpty ? nil : designs }
    }

    // MARK: Changes

    /// Calls a function after each change, on the thread of the source. It must return quickly.
    ///
    /// - Returns: The function that ends this.
    package func onChange(_ body: @escaping @Sendable (DatafileChange) -> Void) -> @Sendable () -> Void {
        let number = state.withLock { state in
            state.nextListener += 1
            state.listeners[state.nextListener] = body
            return state.nextListener
        }
        return { [weak self] in self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
    }

    private func change(_ body: (inout State) -> DatafileChange?) {
        let (change, listeners) = state.withLock { state in (body(&state), Array(state.listeners.values)) }
        guard let change else { return }
        for listener in listeners { listener(change) }
    }
}

/// A change of the served datafiles.
package enum DatafileChange: Sendable {
    /// A new or changed datafile.
    case published(ServedDatafile)
    /// An SDK key is unknown from now on.
    case removed(sdkKey: String)

    package var sdkKey: String {
        switch self {
        case .published(let datafile): datafile.sdkKey
        case .removed(let sdkKey): sdkKey
        }
    }
}
