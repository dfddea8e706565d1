/// A client had no datafile within the time that a caller was willing to wait.
public struct NotReadyError: Error, Sendable, CustomStringConvertible {
    /// How long the caller waited.
    public let limit: Duration
    /// The status at the end.
    public let status: ClientStatus

    init(limit: Duration, status: ClientStatus) { (self.limit, self.status) = (limit, status) }

    /// Why there is no datafile, and what happens next.
    public var description: String {
        let datafile = status.datafile
        let next = datafile.nextPoll.map { "; next request in \($0.roundedLogText)" } ?? ""
        return "the client has no datafile after \(limit.logText): \(cause)\(next)"
    }

    private var cause: String {
        let requests = status.datafile.requests
        if let error = status.datafile.lastError { return error }
        if requests.changed + requests.unchanged + requests.failed > 0 { return "the source returned none" }
        return "no request has ended yet; call start() if the client was not started"
    }
}

extension NotReadyError: PrintableError {}
