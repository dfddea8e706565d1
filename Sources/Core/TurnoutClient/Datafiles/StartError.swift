/// Why a client has no datafile.
public enum StartError: Error, Sendable, CustomStringConvertible {
    /// The datafile cannot be used.
    case datafile(DatafileError)
    /// The datafile belongs to another project than the configured one; its id.
    case otherProject(String)
    /// The file at a path cannot be read, or is not a usable datafile; with the cause, such as ``FileError`` or
    /// `DatafileError`.
    case file(path: String, cause: any Error)
    /// There is no datafile; with the cause, if any.
    case unavailable((any Error)?)

    /// A description of the error.
    public var description: String {
        switch self {
        case .datafile(let error): "the datafile cannot be used: \(error)"
        case .otherProject(let id): "the datafile belongs to project \(id), not to the configured project"
        case .file(let path, let error): "the datafile \(path) cannot be used: \(error.logText)"
        case .unavailable(nil): "no datafile is available: none was downloaded, cached or bundled"
        // Errors from other code may contain an address with a key.
        case .unavailable(let error?): "no datafile could be downloaded: \(error.logText)"
        }
    }

    /// Whether the request can never succeed: the address or the token is invalid.
    var isPermanent: Bool {
        guard case .unavailable(let error?) = self else { return false }
        if case .misconfigured = error as? DatafileSourceError { return true }
        return (error as? TransportError)?.code == .badAddress
    }

    /// The server's `Retry-After`, or nil.
    var retryAfter: Duration? {
        if case .unavailable(let error as DatafileSourceError) = self { error.retryAfter } else { nil }
    }
}

extension StartError: PrintableError {
    /// Whether a request failed only because its task was canceled.
    var isCancellation: Bool {
        if case .unavailable(let error?) = self { error is CancellationError } else { false }
    }
}

extension DatafileError: PrintableError {}
