package import TurnoutClient

/// The data platform of a server: knows which segments users are in, and receives events about them.
///
/// ```text
/// project files ─► defined segments ─┐
/// uploads, API ──► lists ────────────┼─► segments of a user ─► /v3/graphql
/// received events ─► rules ──────────┘
/// ```
package final class SegmentPlatform: Sendable {
    package struct Options: Sendable, Equatable {
        /// The response to a query for an unknown user.
        package enum UnknownUsers: String, Sendable, CaseIterable {
            /// The error that the data platform has for an invalid identifier.
            case error
            case empty
        }

        /// The response to a query for an unknown user. Default: an error.
        package var unknownUsers = UnknownUsers.error
        /// The limits of lists and devices.
        package var limits = SegmentLimits()
        /// The time between two preparations of the events of rules. Default: 1 minute.
        package var preparationInterval = Duration.seconds(60)
        /// The days for which devices are remembered that are not seen. Default: 400.
        package var deviceDays = 400
        /// Whether a hub has the lists and devices. Default: false.
        package var hasHub = false

        package init() {}
    }

    /// The segments of a user.
    struct Membership: Equatable {
        /// The ids that stand for the user.
        var ids: [String]
        var segments: Set<ByteKey>
    }

    let store: SegmentDatabase
    let options: Options
    let counters = SegmentCounters()
    private let events: EventDatabase
    private let log: SegmentLog
    private let datafiles: DatafileDirectory
    /// The ids of projects by the public key that their datafiles give to clients.
    private let keys: DatafileProjection<[String: String]>
    /// The segments that audiences name.
    private let used: DatafileProjection<Set<String>>
    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let onAppend: @Sendable () -> Void
    private let messages: any Log
    private let failure = Locked<String?>(nil)

    /// Creates a platform.
    ///
    /// - Parameters:
    ///   - store: Keeps lists and devices.
    ///   - events: The events that rules count.
    ///   - log: Keeps received events until they are processed.
    ///   - options: The options. Default: the standard ones.
    ///   - datafiles: Name the keys of clients, and define segments.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - wallClock: Provides the time. Default: the system's.
    ///   - messages: Receives failures.
    ///   - onAppend: Called when events are in the log. Default: nothing.
    package init(
        _ store: SegmentDatabase, events: EventDatabase, log: SegmentLog, _ options: Options = Options(),
        datafiles: DatafileDirectory, clock: any Clock<Duration> = .continuous, wallClock: any WallClock = .system,
        messages: any Log, onAppend: @escaping @Sendable () -> Void = {}
    ) {
        self.store = store
        self.events = events
        self.log = log
        self.options = options
        self.datafiles = datafiles
        self.clock = clock
        self.wallClock = wallClock
        self.messages = messages
        self.onAppend = onAppend
        keys = DatafileProjection(keysOf: datafiles)
        used = DatafileProjection(of: datafiles) { directory in
            Set(directory.sdkKeys.flatMap { directory[$0]?.project.qualifiedSegments ?? [] })
        }
    }

    /// The project that a client's key belongs to; nil for an unknown key.
    func project(of key: String?) -> String? { key.flatMap { keys.value[$0] } }

    // MARK: Segments

    /// The segments that projects define.
    var defined: [DefinedSegment] { datafiles.segments }

    /// The segments that audiences name, sorted; nil if a segment is one of them.
    func usedSegments(without segment: String) -> [String]? {
        let used = used.value
        return used.contains(segment) ? nil : used.sorted()
    }

    /// The segments of a user. Blocks.
    ///
    /// - Parameters:
    ///   - id: The id of the user or of a device.
    ///   - wanted: The segments to look for. Default: nil, all.
    /// - Returns: The segments; nil if nothing is known of the user.
    /// - Throws: A store's error.
    func membership(of id: String, among wanted: [String]? = nil) throws -> Membership? {
        if options.hasHub { throw SegmentsOfHub() }
        return try reportingFailure { try findMembership(of: id, among: wanted) }
    }

    private func findMembership(of id: String, among wanted: [String]?) throws -> Membership? {
        let ids = try store.ids(of: id)
        var segments = try store.segments(of: ids)
        let defined = datafiles.segments
        let keys = ids.map(ByteKey.init)
        // Also of segments that the client does not ask for.
        var isKnown =
            ids.count > 1 || !segments.isEmpty
            || defined.contains { segment in keys.contains { segment.members.contains($0) } }
        let names = wanted.map { Set($0.map(ByteKey.init)) }
        let now = wallClock.millisecondsSince1970()
        for segment in defined {
            let name = ByteKey(segment.name)
            guard names?.contains(name) ?? true, !segments.contains(name) else { continue }
            var isMember = keys.contains { segment.members.contains($0) }
            if !isMember, let rule = segment.rule, let selection = segment.selection(at: now) {
                isMember = rule.isMet(by: try events.totals(of: ids, in: selection))
            }
            if isMember { segments.insert(name) }
        }
        isKnown = try isKnown || !segments.isEmpty || events.knows(ids, in: Set(self.keys.value.values))
        if let names { segments.formIntersection(names) }
        return isKnown ? Membership(ids: ids, segments: segments) : nil
    }

    // MARK: Events

    /// Stores events: the devices that they tie to users, and what rules count. Returns when the disk has them.
    func receive(_ events: PlatformEvents, projectID: String) async throws {
        let time = wallClock.millisecondsSince1970()
        if !events.links.isEmpty {
            let refused = try await BlockingCall.result {
                try self.reportingFailure { try self.store.link(events.links, at: time) }
            }
            counters.add { $0.refusedDevices += refused }
        }
        if let body = events.body(projectID: projectID, time: time) {
            try await log.append(body, receivedAt: time)
            onAppend()
        }
        counters.add {
            $0.events += events.count
            $0.unidentifiedEvents += events.unidentified
        }
    }

    // MARK: Operations

    /// Prepares the events of rules and forgets old devices from time to time, until the task is canceled.
    package func run() async {
        while !Task.isCancelled {
            // A failure is reported, and this is tried again.
            try? await BlockingCall.result { try self.maintain() }
            try? await clock.sleep(for: options.preparationInterval, tolerance: nil)
        }
    }

    /// Prepares the events of rules, and forgets old devices. Blocks. It uses all files, so its success ends a failure.
    func maintain() throws {
        // Not one of a request in the meantime: the file may be gone since this function has used it.
        let hasFailed = problem != nil
        try reportingFailure {
            let now = wallClock.millisecondsSince1970()
            let counts = try store.counts()
            _ = try store.expireDevices(before: now - Int64(options.deviceDays) * 86_400_000)
            counters.add { $0.stored = counts }
            try events.prepare(for: datafiles.segments.compactMap { $0.selection(at: now) })
        }
        guard hasFailed else { return }
        failure.withLock { $0 = nil }
        messages(.info, "segments: the outage has ended; requests are answered again")
    }

    /// Why segments cannot be read or written; nil if they can, as of the last use.
    var problem: String? { failure.withLock { $0 } }

    /// Calls a function that uses the store. A failure is logged when it differs from the last one, because clients ask
    /// repeatedly.
    func reportingFailure<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            // The store works; it refuses a change, or the server stops.
            guard !(error is SegmentLimitError || error is CancellationError) else { throw error }
            let text = error.logText
            let isNew = failure.withLock { failure in
                defer { failure = text }
                return failure != text
            }
            if isNew {
                messages.failure(
                    .error, "segments: cannot be read or written; decisions and datafiles are not affected", error)
            }
            throw error
        }
    }

    /// Counts a change of the lists. Blocks.
    func countChange() throws {
        let counts = try store.counts()
        counters.add {
            $0.changes += 1
            $0.stored = counts
        }
    }

    /// The platform's contribution to the server's metrics.
    package var report: ServiceReport {
        var report = ServiceReport("segments")
        report.impairment = { self.problem }
        report.status = { [counters] writer in
            let stored = counters.stored
            writer.object {
                $0.member("lists", stored.lists)
                $0.member("users", stored.members)
                $0.member("devices", stored.devices)
                $0.member("problem", self.problem)
            }
        }
        report.metrics = { [counters, datafiles] in counters.snapshot(defined: datafiles.segments.count) }
        return report
    }
}

/// The hub alone knows the segments of users.
struct SegmentsOfHub: Error {}

extension DatafileProjection<[String: String]> {
    /// The ids of projects by the public key that their datafiles give to clients.
    fileprivate convenience init(keysOf directory: DatafileDirectory) {
        self.init(of: directory) { directory in
            var projects: [String: String] = [:]
            for project in directory.sdkKeys.compactMap({ directory[$0]?.project }) {
                let key = project.integrations.first { $0.key == "odp" }?.publicKey ?? ""
                if !key.isEmpty, projects[key] == nil { projects[key] = project.projectID }
            }
            return projects
        }
    }
}
