/// The options of an ``HTTPDatafileSource``.
public struct HTTPDatafileOptions: Sendable {
    /// The address of datafiles; `{sdkKey}`, or the vendor's `%@`, is replaced by the SDK key. Without either it is the
    /// address of a single datafile. Nil: the vendor's, `https://cdn.optimizely.com/datafiles/{sdkKey}.json`, or with a
    /// token `https://config.optimizely.com/datafiles/auth/{sdkKey}.json`. Default: nil.
    public var address: String?
    /// The access token for authenticated datafiles, sent as `Authorization: Bearer …`; it does not appear in logs or
    /// errors. Default: nil.
    public var token: String?
    /// The time limit for a complete response. Default: 10 seconds.
    public var deadline = Duration.seconds(10)
    /// The maximum size of a datafile, in bytes. Default: 32 MiB, more than ten times the largest
    /// datafile of the benchmarks (2.6 MB).
    public var maximumSize = 32 << 20
    /// The address of the stream of changes, for ``StreamingDatafileSource``; placeholders as in ``address``. Default:
    /// nil, ``address`` with `.json` replaced by `/changes`, the address that `turnout serve` uses.
    public var changesAddress: String?
    /// How long nothing may arrive on the stream of changes before it counts as broken. Default: 45 seconds, three of
    /// the intervals in which `turnout serve` sends a comment.
    public var changesIdleLimit = Duration.seconds(45)
    /// Receives reports of cache failures; other failures are thrown. Default: the standard error output.
    public var log: any Log = .standardError

    /// The accepted datafiles. Default: current ones.
    package var format = DatafileFormat.current
    /// Whether the key is a project's id, as it was before SDK keys were introduced. Default: false.
    package var isProjectID = false
    /// Whether a datafile must have the requested SDK key, and be of the project of the cached copy. Default: true.
    package var checksIdentity = true

    /// Creates the standard options.
    public init() {}

    /// The vendor's server for datafiles that need no token.
    package static let standardHost = "https://cdn.optimizely.com"

    /// The vendor's address of datafiles; `%@` stands for the SDK key.
    package static func standardAddress(isAuthenticated: Bool) -> String {
        isAuthenticated
            ? "https://config.optimizely.com/datafiles/auth/%@.json" : "\(standardHost)/datafiles/%@.json"
    }

    /// The address of the datafile for a key.
    func address(of sdkKey: String) throws(DatafileSourceError) -> String {
        guard !sdkKey.isEmpty else { throw .misconfigured("the SDK key is empty") }
        return try Self.filled(address ?? Self.standardAddress(isAuthenticated: token != nil), sdkKey)
    }

    /// The address of the stream of changes for a key.
    func changesAddress(of sdkKey: String) throws(DatafileSourceError) -> String {
        guard !sdkKey.isEmpty else { throw .misconfigured("the SDK key is empty") }
        if let changesAddress { return try Self.filled(changesAddress, sdkKey) }
        guard let address = address?.trimmingBlanks, address.hasSuffix(".json") else {
            throw .misconfigured(
                "there is no address for the stream of changes; set changesAddress, or an address that ends in .json")
        }
        return try Self.filled(address.dropLast(".json".count) + "/changes", sdkKey)
    }

    private static func filled(_ address: String, _ sdkKey: String) throws(DatafileSourceError) -> String {
        do throws(AddressTemplate.Problem) {
            return try AddressTemplate(address, placeholder: "sdkKey").address(of: sdkKey, isRequired: false)
        } catch { throw .misconfigured(error.description) }
    }

    func credentials() throws(DatafileSourceError) -> [String: String] {
        guard let token else { return [:] }
        // Other characters could inject a header.
        guard !token.isEmpty, token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .misconfigured(
                "the access token is empty or contains a space or another character that a header cannot carry")
        }
        return ["Authorization": "Bearer \(token)"]
    }
}

/// The state of a source's datafile after the last request.
public enum DatafileOutcome: Sendable {
    /// No request was made yet; the datafile, if any, is from an earlier run.
    case fromCache
    /// The server returned a new datafile.
    case fresh
    /// The server reported that the datafile is still the newest.
    case unchanged
    /// The server was unreachable or gave no usable response; the datafile may be stale. For refusals see
    /// ``DatafileSourceError/status(_:retryAfter:)``.
    case failed(any Error)

    /// Whether the server confirmed the datafile with its last response.
    public var isCurrent: Bool {
        switch self {
        case .fresh, .unchanged: true
        case .fromCache, .failed: false
        }
    }
}
