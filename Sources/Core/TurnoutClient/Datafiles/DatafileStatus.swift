/// The state of a client's datafile, and of the requests for newer ones.
public struct DatafileStatus: Sendable, Equatable {
    /// Where a datafile comes from.
    public enum Origin: String, Sendable, CaseIterable {
        /// The source returned it to this client.
        case downloaded
        /// The source had cached it in an earlier run.
        case cached
        /// It is bundled with the program; see ``ClientConfiguration/bundledDatafile``.
        case bundled
        /// The program passed it to the client.
        case passed
    }

    /// The revision of the datafile in use, or nil if there is none.
    public internal(set) var revision: String?
    /// Where the datafile in use comes from, or nil if there is none.
    public internal(set) var origin: Origin?
    /// The time since the datafile in use replaced the one before, or was the first; nil if there is none.
    public internal(set) var lastChange: Duration?
    /// The time since the source last returned a datafile or confirmed that there is no newer one; nil if it never did.
    public internal(set) var lastCheck: Duration?
    /// The time since the datafile in use was known to be the newest: since the last check, or since the program passed
    /// it. The age that a cached or bundled datafile has at the start is unknown and counts as zero. Nil if there is no
    /// datafile.
    public internal(set) var age: Duration?
    /// Whether ``age`` has reached ``ClientConfiguration/maximumDatafileAge``.
    public internal(set) var isStale = false
    /// The time until the next request; nil if the client does not poll, or a request is in progress.
    public internal(set) var nextPoll: Duration?
    /// Why the last request failed, or why the last datafile could not be used; nil if it succeeded. Contains no
    /// personal data and no secrets.
    public internal(set) var lastError: String?
    /// The number of requests to the source, by outcome.
    public internal(set) var requests = DatafileRequests()
    /// The stream of changes; nil if the source is not a ``StreamingDatafileSource``, or the client was not started.
    public internal(set) var stream: DatafileStreamStatus?

    /// The time of the last check, in milliseconds since 1970.
    package internal(set) var checkTime: Int64?
    /// The time of the last change, in milliseconds since 1970.
    package internal(set) var changeTime: Int64?

    /// Creates the status of a client without a datafile.
    package init() {}
}

/// The number of requests for a newer datafile, by outcome. The counts only grow.
public struct DatafileRequests: Sendable, Equatable {
    /// The source returned a datafile that the client could use.
    public internal(set) var changed = 0
    /// The source confirmed that there is no newer datafile.
    public internal(set) var unchanged = 0
    /// The request failed, or its datafile could not be used.
    public internal(set) var failed = 0
}

/// The state of a stream of changes. The counts only grow.
public struct DatafileStreamStatus: Sendable, Equatable {
    /// Whether changes arrive. Otherwise the client only polls, and tries to open the stream again.
    public internal(set) var isOpen = false
    /// How often the stream was opened.
    public internal(set) var openings = 0
    /// The number of changes that were announced.
    public internal(set) var changes = 0
}

extension DatafileStatus {
    /// The status of a client whose requests are made by a service that several clients share.
    package func combined(withRequestsOf service: DatafileStatus) -> DatafileStatus {
        var status = self
        (status.requests, status.nextPoll) = (service.requests, service.nextPoll)
        (status.lastCheck, status.checkTime) = (service.lastCheck, service.checkTime)
        status.lastError = lastError ?? service.lastError
        // The service may have downloaded a datafile that the client could not use.
        if lastError == nil, let age, let lastCheck = service.lastCheck { status.age = min(age, lastCheck) }
        return status
    }
}

extension DatafileStatus: CustomStringConvertible {
    /// The status in one line: `revision 42, downloaded, checked 12 s ago, changed 5 min ago, next request in 48 s`.
    public var description: String {
        var parts = [revision.map { "revision \($0)" } ?? "no datafile"]
        if let origin { parts.append(origin.rawValue) }
        if let lastCheck { parts.append("checked \(lastCheck.roundedLogText) ago") }
        if let lastChange { parts.append("changed \(lastChange.roundedLogText) ago") }
        if isStale { parts.append("stale") }
        if let stream { parts.append(stream.isOpen ? "stream open" : "stream down") }
        if let nextPoll { parts.append("next request in \(nextPoll.roundedLogText)") }
        return parts.joined(separator: ", ")
    }
}
