/// The state of a client: its datafile, events, assignments and listeners at one time.
///
/// ```swift
/// print(client.status)
/// ```
///
/// Contains no personal data and no secrets, so it may be logged and shown.
public struct ClientStatus: Sendable, Equatable {
    /// The datafile, and the requests for newer ones.
    public internal(set) var datafile: DatafileStatus
    /// The queue of impressions and conversions.
    public internal(set) var events: EventStatus
    /// The queue of events for the data platform.
    public internal(set) var segmentEvents: EventStatus
    /// The profile store failures during decisions.
    public internal(set) var profileFailures: ProfileFailures
    /// The number of notifications that listeners have not received yet.
    public internal(set) var waitingNotifications: Int
    /// The number of notifications that were dropped because a listener was stuck.
    public internal(set) var lostNotifications: Int

    /// Creates a status from its parts.
    package init(
        datafile: DatafileStatus, events: EventStatus, segmentEvents: EventStatus = EventStatus(),
        profileFailures: ProfileFailures, waitingNotifications: Int, lostNotifications: Int
    ) {
        (self.datafile, self.events, self.segmentEvents) = (datafile, events, segmentEvents)
        self.profileFailures = profileFailures
        (self.waitingNotifications, self.lostNotifications) = (waitingNotifications, lostNotifications)
    }

    /// Whether the client has a datafile to decide with.
    public var isReady: Bool { datafile.revision != nil }

    /// Whether the datafile is older than ``ClientConfiguration/maximumDatafileAge``.
    public var isStale: Bool { datafile.isStale }

    /// The revision of the datafile in use, or nil if there is none.
    public var revision: String? { datafile.revision }

    /// The errors that persist: of the datafile, of event delivery and of segment event delivery.
    public var errors: [String] { [datafile.lastError, events.lastError, segmentEvents.lastError].compactMap { $0 } }

    /// The first of ``errors``, or nil if there is none.
    public var lastError: String? { datafile.lastError ?? events.lastError ?? segmentEvents.lastError }

    /// Whether a reader of status changes should see this status after an earlier one.
    func differs(from earlier: ClientStatus) -> Bool {
        (revision, datafile.origin, isStale) != (earlier.revision, earlier.datafile.origin, earlier.isStale)
            || datafile.changeTime != earlier.datafile.changeTime
            || errors != earlier.errors || datafile.stream?.isOpen != earlier.datafile.stream?.isOpen
    }
}

extension ClientStatus: CustomStringConvertible {
    /// The status in a few lines. Unused parts are left out.
    ///
    /// ```text
    /// ready: revision 42, downloaded, checked 12 s ago, changed 5 min ago, next request in 48 s
    /// events: 3 waiting, 120 delivered, lost: none
    /// ```
    public var description: String {
        var lines = ["\(isReady ? "ready" : "not ready"): \(datafile)", "events: \(events)"]
        if segmentEvents != EventStatus() { lines.append("segment events: \(segmentEvents)") }
        if profileFailures.total > 0 { lines.append("profile failures: \(profileFailures)") }
        if waitingNotifications + lostNotifications > 0 {
            lines.append("notifications: \(waitingNotifications) waiting, \(lostNotifications) lost")
        }
        return (lines + errors.map { "error: \($0)" }).joined(separator: "\n")
    }
}

/// The statuses of a client: the current one, then one after each change. See ``FlagClient/statusChanges``.
///
/// A slow reader sees only the latest status. The sequence does not retain the client, and ends with it.
public struct StatusChanges: AsyncSequence, Sendable {
    /// Never fails.
    public typealias Failure = Never

    private let changes: AsyncStream<Void>
    private let status: @Sendable () -> ClientStatus?

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - changes: Has an element now and after each change.
    ///   - status: The current status, or nil if the client was deallocated.
    package init(_ changes: AsyncStream<Void>, status: @escaping @Sendable () -> ClientStatus?) {
        (self.changes, self.status) = (changes, status)
    }

    /// Reads the statuses.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator(), status: status) }

    /// Reads the statuses of one client.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var changes: AsyncStream<Void>.Iterator
        fileprivate let status: @Sendable () -> ClientStatus?
        private var last: ClientStatus?

        fileprivate init(changes: AsyncStream<Void>.Iterator, status: @escaping @Sendable () -> ClientStatus?) {
            (self.changes, self.status) = (changes, status)
        }

        /// The next status that differs in the datafile, its staleness, its stream or an error; nil at the end.
        public mutating func next() async -> ClientStatus? { await next(isolation: nil) }

        /// The next status that differs in the datafile, its staleness, its stream or an error; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientStatus? {
            while await changes.next(isolation: actor) != nil {
                guard let current = status() else { return nil }
                if let last, !current.differs(from: last) { continue }
                last = current
                return current
            }
            return nil
        }
    }
}
