/// Why a source has no newer datafile. The words contain neither keys nor tokens.
public enum DatafileSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no address to ask: the SDK key is empty, or the address or the token cannot be used; in words.
    case misconfigured(String)
    /// The server answered with another status than 200 and 304; and how long it wants to be left alone, if it said
    /// so.
    case status(Int, retryAfter: Duration? = nil)
    /// The server answered that nothing has changed since a datafile that it was not asked about.
    case unchangedSinceNothing
    /// What the server handed out is no datafile that can be used.
    case datafile(DatafileError)
    /// The datafile is larger than the source accepts: its size and the limit, in bytes.
    case tooLarge(Int, limit: Int)
    /// The datafile is of another project than the kept copy; the ids of both.
    case otherProject(String, kept: String)
    /// The datafile names another SDK key than the one that was asked for.
    case otherKey

    /// How long the server wants to be left alone, or nil: it does not say.
    public var retryAfter: Duration? {
        if case .status(_, let time) = self { time } else { nil }
    }

    /// The error in words.
    public var description: String {
        switch self {
        case .misconfigured(let problem): problem
        case .status(let status, let time):
            "the server answered \(status)\(Self.meaning(of: status))" + (time.map { ", retry after \($0)" } ?? "")
        case .unchangedSinceNothing: "the server answered 304, but there is no copy that could be unchanged"
        case .datafile(let error): "the server's datafile cannot be used: \(error)"
        case .tooLarge(let size, let limit): "the datafile has \(size) bytes, more than \(limit)"
        case .otherProject(let id, let kept): "the server's datafile is of project \(id), the kept one of \(kept)"
        case .otherKey: "the server's datafile is of another SDK key"
        }
    }

    private static func meaning(of status: Int) -> String {
        switch status {
        case 300..<400: ": redirects are not followed"
        case 401: ": it wants a token, or another one"
        case 403: ": it does not know the SDK key, or does not accept the token"
        case 404, 410: ": it has no datafile for the SDK key"
        case 408, 425, 429: ": it is busy"
        case 500...: ": it has failed"
        default: ""
        }
    }
}
