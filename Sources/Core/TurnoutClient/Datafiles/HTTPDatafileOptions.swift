/// How an ``HTTPDatafileSource`` asks its server.
public struct HTTPDatafileOptions: Sendable {
    /// The address of datafiles; `{sdkKey}` stands for the SDK key, and so does the vendor's `%@`. Without either it is
    /// the address of the one datafile. Nil: the vendor's, `https://cdn.optimizely.com/datafiles/{sdkKey}.json`, or
    /// with a token `https://config.optimizely.com/datafiles/auth/{sdkKey}.json`. Default: nil.
    public var address: String?
    /// The access token of authenticated datafiles, sent as `Authorization: Bearer …`; it appears in no log and no
    /// error. Default: none.
    public var token: String?
    /// The longest time until an answer is complete. Default: 10 seconds.
    public var deadline = Duration.seconds(10)
    /// The largest datafile that is accepted, in bytes. Default: 32 MiB, ten times the largest we have seen.
    public var maximumSize = 32 << 20
    /// Where trouble with the cache is reported. Everything else is thrown. Default: the standard error output.
    public var log: any Log = .standardError

    /// Which datafiles can be used. Default: current ones.
    package var format = DatafileFormat.current
    /// Whether the key is a project's id, as it was before there were SDK keys. Default: false.
    package var isProjectID = false

    /// Creates the standard options; change what you need.
    public init() {}

    /// The address of the datafile of a key.
    func address(of sdkKey: String) throws(DatafileSourceError) -> String {
        guard !sdkKey.isEmpty else { throw .misconfigured("the SDK key is empty") }
        let standard =
            token == nil
            ? "https://cdn.optimizely.com/datafiles/{sdkKey}.json"
            : "https://config.optimizely.com/datafiles/auth/{sdkKey}.json"
        let template = AddressTemplate(address ?? standard, placeholder: "sdkKey")
        do throws(AddressTemplate.Problem) {
            return try template.address(of: sdkKey, isRequired: false)
        } catch { throw .misconfigured(error.description) }
    }

    /// The headers that let the program in.
    func credentials() throws(DatafileSourceError) -> [String: String] {
        guard let token else { return [:] }
        // Anything else could become a header of its own.
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .misconfigured("the access token is empty or contains a character that no token has")
        }
        return ["Authorization": "Bearer \(token)"]
    }
}

/// What is known of a source's datafile, by the last request.
public enum DatafileOutcome: Sendable {
    /// Nobody has asked yet; what there is comes from an earlier run.
    case fromCache
    /// The server handed out a new datafile.
    case fresh
    /// The server says that the datafile is still the newest.
    case unchanged
    /// The server could not be asked or gave no usable answer; what there is may be stale. See
    /// ``DatafileSourceError/status(_:retryAfter:)`` for refusals.
    case failed(any Error)

    /// Whether the server vouched for the datafile with its last answer.
    public var isCurrent: Bool {
        switch self {
        case .fresh, .unchanged: true
        case .fromCache, .failed: false
        }
    }
}
