/// A datafile that has been parsed, checked and prepared for decisions.
///
/// ```swift
/// let project = try Project(datafile: bytes)
/// let decision = project.decide("checkout", for: User("ada", attributes: ["country": "US"]))
/// ```
///
/// A project is immutable and can be shared by any number of threads; a newer datafile is a new project.
public final class Project: Sendable {
    let tables: DatafileTables
    /// Copies of this object for the same project; see ``replica(_:)``. Empty in the copies themselves.
    ///
    /// Unmanaged because reading an array of objects retains the array, which all threads share. This object owns them
    /// and releases them when it is deallocated.
    private let replicas: [Unmanaged<Project>]

    /// Where a project's events are collected.
    public enum Region: String, Sendable {
        /// The United States, the default.
        case us = "US"
        /// The European Union.
        case eu = "EU"
    }

    /// Reads a datafile.
    ///
    /// Unknown members are skipped. If anything required is missing or of another type, the whole datafile is rejected
    /// with an error that contains the position; questionable content only causes ``warnings``.
    ///
    /// - Parameters:
    ///   - datafile: The JSON text in UTF-8.
    ///   - format: The accepted versions. Default: version 4.
    ///   - limits: The maximum depth and size of the text.
    /// - Throws: `DatafileError`.
    /// - Complexity: O(n) in the size of the datafile; about 2 ms per megabyte.
    public init(
        datafile: [UInt8], format: DatafileFormat = .current, limits: JSONLimits = .standard
    ) throws(DatafileError) {
        var builder = DatafileBuilder(format: format, size: datafile.count)
        do throws(JSONError) {
            try datafile.withBytes { (bytes) throws(JSONError) in
                try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in
                    try builder.readDatafile(&reader)
                }
            }
        } catch {
            // A newer version may lack a member that this one requires, or have it in another form; report the version
            // then.
            guard !builder.version.isEmpty, !format.versions.contains(builder.version) else { throw .invalid(error) }
            throw .unsupportedVersion(builder.version)
        }
        guard format.versions.contains(builder.version) else { throw .unsupportedVersion(builder.version) }
        var tables = builder.build()
        var hasher = Hasher()
        datafile.withUnsafeBytes { hasher.combine(bytes: $0) }
        tables.contentHash = hasher.finalize()
        let shared = tables
        self.tables = shared
        replicas = (0..<Self.replicaCount).map { _ in Unmanaged.passRetained(Project(sharing: shared)) }
    }

    private init(sharing tables: DatafileTables) {
        self.tables = tables
        replicas = []
    }

    deinit { for replica in replicas { replica.release() } }

    /// The number of replicas, and of copies of other objects that all threads use, so that threads seldom share a
    /// reference count or a lock. A power of two.
    package static let replicaCount = 64

    /// The object that a decision retains in place of this one; the number is that of the user's ``User/stripe``.
    ///
    /// A decision retains its project. If all threads counted on one object, two threads deciding the same flag would
    /// take three times as long as one because of contention for the cache line. Decisions for different users
    /// therefore retain different objects. A replica returns itself; a client's snapshots hold replicas.
    @inline(__always)
    package func replica(_ number: Int) -> Project {
        replicas.isEmpty ? self : replicas[number].takeUnretainedValue()
    }

    /// Keeps the reference counts of adjacent objects on separate cache lines.
    private let cacheLinePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0, 0, 0, 0, 0, 0, 0, 0
    )

    @inline(__always)
    func text(_ symbol: Symbol) -> String { tables.symbols.text(symbol) }

    /// Whether two rows are the same rule, by id.
    func isSameRule(_ left: Int32, _ right: Int32) -> Bool {
        tables.rules[Int(left)].id == tables.rules[Int(right)].id
    }

    // MARK: Identity
    /// The datafile's version, `4` for current ones.
    public var version: String { text(tables.version) }
    /// The project's id.
    public var projectID: String { text(tables.projectID) }
    /// The id of the account that the project belongs to.
    public var accountID: String { text(tables.accountID) }
    /// The revision of the datafile; it changes with every edit.
    public var revision: String { text(tables.revision) }
    /// Differs for datafiles with different bytes, also if they have the same revision. Means nothing in another run.
    package var contentHash: Int { tables.contentHash }
    /// The number in a revision: 42 for `42`, and for `42-5f0c1e2a9b3d`, which a server derives from an edit after
    /// revision 42. Nil for other texts.
    package static func number(inRevision revision: String) -> Int? { Int(revision.prefix { $0 != "-" }) }
    /// The SDK key of the datafile's environment, if the datafile names it.
    public var sdkKey: String? { tables.symbols.optionalText(tables.sdkKey) }
    /// The key of the datafile's environment, if the datafile names it.
    public var environmentKey: String? { tables.symbols.optionalText(tables.environmentKey) }
    /// Where events of this project are sent.
    public var region: Region { tables.region }
    /// Whether the server is asked not to store IP addresses.
    public var anonymizesIP: Bool { tables.anonymizesIP }
    /// Whether the server is asked to filter bots, or nil if the datafile does not say.
    public var botFiltering: Bool? { tables.botFiltering }
    /// Whether decisions by rollout rules, or by no rule, are sent as impressions too.
    public var sendsFlagDecisions: Bool { tables.sendsFlagDecisions }
}

extension User {
    /// The number of the copy that decisions for this user use, below ``Project/replicaCount``.
    @inline(__always)
    package var stripe: Int { Int(bucketing.stripe) & (Project.replicaCount - 1) }
}

/// Which datafiles are accepted.
public struct DatafileFormat: Sendable, Equatable {
    /// The values of `version` that are accepted.
    public var versions: Set<String>
    /// Whether `featureFlags`, `rollouts` and `anonymizeIP` may be missing, as in versions 2 and 3. Missing lists are
    /// empty; a missing `anonymizeIP` is true.
    public var allowsMissingFlags: Bool
    /// Whether a number is accepted in place of a string, as versions 2 and 3 wrote them.
    public var readsNumbersAsText: Bool

    /// Version 4 with all its required members, as the current clients accept it.
    public static let current = DatafileFormat(versions: ["4"], allowsMissingFlags: false, readsNumbersAsText: false)

    /// Versions 2 to 4, as the older Objective-C client accepted them.
    public static let legacy = DatafileFormat(
        versions: ["2", "3", "4"], allowsMissingFlags: true, readsNumbersAsText: true)
}

/// Why a datafile cannot be used.
public enum DatafileError: Error, Sendable, Equatable {
    /// The text is not JSON, or a required member is missing or of another type. The error gives the path, line and
    /// column.
    case invalid(JSONError)
    /// The datafile's version is not accepted.
    case unsupportedVersion(String)

    /// The vendor's wording, which callers of the drop-in interfaces compare.
    public var compatibleText: String {
        switch self {
        case .invalid: "Provided datafile is in an invalid format."
        case .unsupportedVersion(let version): "Provided datafile version (\(version)) is not supported."
        }
    }
}

extension DatafileError: CustomStringConvertible {
    /// The error and where it was found.
    public var description: String {
        switch self {
        case .invalid(let error): error.description
        case .unsupportedVersion(let version): "$.version: version \"\(version)\" is not supported"
        }
    }
}
