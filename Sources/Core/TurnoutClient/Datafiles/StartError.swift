/// Why a client does not decide by a datafile.
public enum StartError: Error, Sendable, CustomStringConvertible {
    /// The datafile cannot be used.
    case datafile(DatafileError)
    /// The datafile is of another project than the configuration asks for; its id.
    case otherProject(String)
    /// There is no datafile; with the reason, if there is one.
    case unavailable((any Error)?)

    /// The error in words.
    public var description: String {
        switch self {
        case .datafile(let error): "the datafile cannot be used: \(error)"
        case .otherProject(let id): "the datafile is of project \(id)"
        case .unavailable(let error):
            // Foreign errors may name an address with a key in it.
            "no datafile to be had" + (error.map { $0 is any PrintableError ? ": \($0)" : ": \(type(of: $0))" } ?? "")
        }
    }

    /// How long the server wants to be left alone, or nil: it does not say.
    var retryAfter: Duration? {
        if case .unavailable(let error as DatafileSourceError) = self { error.retryAfter } else { nil }
    }
}
