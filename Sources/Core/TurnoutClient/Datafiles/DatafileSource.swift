/// A source of datafiles.
///
/// A client calls ``newest()`` from any task when it starts, when it polls and in ``FlagClient/refresh()``, possibly
/// several times at once, and ``cached()`` also from the thread that starts it. A source parses each datafile once,
/// with ``Datafile/init(_:)``. It makes one attempt for each call, and sets its own time limit: a start waits for it.
///
/// ```swift
/// /// Reads the datafile from a bucket of a storage service.
/// final class BucketSource: DatafileSource {
///     private let bucket: Bucket
///     private let last = Mutex<Datafile?>(nil)
///
///     init(_ bucket: Bucket) { self.bucket = bucket }
///
///     func newest() async throws -> Datafile? {
///         let bytes = try await bucket.contents(of: "datafile.json")
///         guard last.withLock({ $0?.bytes != bytes }) else { return nil }
///         let datafile = try Datafile(bytes)
///         last.withLock { $0 = datafile }
///         return datafile
///     }
///
///     func cached() -> Datafile? { last.withLock { $0 } }
/// }
/// ```
///
/// ``MemoryDatafileSource`` is a source for tests. `checkDatafileSource` of `TurnoutTestKit` checks what a source has
/// to guarantee.
public protocol DatafileSource: Sendable {
    /// Requests the newest datafile. May take long; canceling the task should end it.
    ///
    /// - Returns: The datafile, or nil if it has not changed since the last call.
    /// - Throws: Any error, if the request failed; the client keeps its datafile and logs the error.
    func newest() async throws -> Datafile?

    /// The last usable datafile, of this run or one that an earlier run cached; nil if there is none. Must be fast, and
    /// must not use a network.
    func cached() -> Datafile?
}

/// A source whose datafiles the program passes in.
public final class MemoryDatafileSource: DatafileSource {
    private struct State {
        var datafile: Result<Datafile, DatafileError>?
        var isNew: Bool
        var failure: (any Error)?
    }

    private let state: Locked<State>

    /// Creates a source. Without a datafile it is empty until ``publish(_:)``.
    public init(_ datafile: [UInt8]? = nil) {
        state = Locked(State(datafile: datafile.map(Self.parse), isNew: datafile != nil))
    }

    /// Publishes a newer datafile. If it cannot be used, the next request fails.
    public func publish(_ datafile: [UInt8]) {
        let parsed = Self.parse(datafile)
        state.withLock { $0 = State(datafile: parsed, isNew: true) }
    }

    private static func parse(_ bytes: [UInt8]) -> Result<Datafile, DatafileError> {
        do throws(DatafileError) { return .success(try Datafile(bytes)) } catch { return .failure(error) }
    }

    /// Makes every request fail, until the next datafile is published.
    public func fail(with error: any Error) { state.withLock { $0.failure = error } }

    /// The last published datafile, or nil if it was already returned.
    ///
    /// - Throws: `DatafileError` if it cannot be used, or the error of ``fail(with:)``.
    public func newest() async throws -> Datafile? {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            defer { state.isNew = false }
            return state.isNew ? try state.datafile?.get() : nil
        }
    }

    /// The last published datafile, or nil if it cannot be used.
    public func cached() -> Datafile? { try? state.withLock { $0.datafile }?.get() }
}

extension DatafileSource where Self == MemoryDatafileSource {
    /// Creates a source with a given datafile.
    public static func memory(_ datafile: [UInt8]) -> MemoryDatafileSource { MemoryDatafileSource(datafile) }
}

/// Why a source has no newer datafile. Descriptions contain no token, and only the beginning of an SDK key.
public enum DatafileSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no usable address: the SDK key is empty, or the address or the token is invalid; with a description.
    case misconfigured(String)
    /// The server responded with a status other than 200 and 304, with its `Retry-After` if it sent one.
    case status(Int, retryAfter: Duration? = nil)
    /// The server responded "not modified" to a request without validators.
    case unexpectedNotModified
    /// The server's response is not a usable datafile.
    case datafile(DatafileError)
    /// The datafile is larger than the source accepts: its size and the limit, in bytes.
    case tooLarge(Int, limit: Int)
    /// The datafile belongs to another project than the cached copy; the ids of both.
    case otherProject(String, kept: String)
    /// The datafile has another SDK key than the requested one; both keys.
    case otherKey(String, expected: String)
    /// The datafile belongs to another project than the requested one; both ids.
    case unexpectedProject(String, expected: String)

    /// The server's `Retry-After`, or nil.
    public var retryAfter: Duration? {
        if case .status(_, let time) = self { time } else { nil }
    }

    /// A description of the error.
    public var description: String {
        switch self {
        case .misconfigured(let problem): problem
        case .status(let status, let time):
            "the datafile server responded with \(status)\(Self.meaning(of: status))"
                + (time.map { "; retry after \($0.logText)" } ?? "")
        case .unexpectedNotModified:
            "the datafile server responded with 304 (not modified) to an unconditional request"
        case .datafile(let error): "the downloaded datafile cannot be used: \(error)"
        case .tooLarge(let size, let limit):
            "the datafile has \(size) bytes; maximumSize allows \(limit)"
        case .otherProject(let id, let kept):
            "the downloaded datafile belongs to project \(id), the cached copy to project \(kept); delete the cached "
                + "copy if the SDK key has moved to another project"
        case .otherKey(let key, let expected):
            "the downloaded datafile is for SDK key \(key.shortenedKey), not \(expected.shortenedKey); check the "
                + "SDK key and the address of datafiles"
        case .unexpectedProject(let id, let expected):
            "the downloaded datafile belongs to project \(id), not to the requested project \(expected); check the "
                + "project id and the address of datafiles"
        }
    }

    private static func meaning(of status: Int) -> String {
        switch status {
        case 300..<400: ": redirects are not followed"
        case 401: ": an access token is missing or not accepted"
        case 403: ": the SDK key is unknown, or the access token is not accepted"
        case 404, 410: ": there is no datafile for the SDK key"
        case 407: ": the proxy requires a login"
        case 408, 425, 429: ": it is busy"
        case 500...: ": a server error"
        default: ""
        }
    }
}

extension DatafileSourceError: PrintableError {}
