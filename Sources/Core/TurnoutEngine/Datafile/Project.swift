/// A datafile, read, checked and prepared for deciding.
///
/// ```swift
/// let project = try Project(datafile: bytes)
/// let decision = project.decide("checkout", for: User("ada", attributes: ["country": "US"]))
/// ```
///
/// A project never changes. It can be shared by any number of threads; a newer datafile is a new project.
public final class Project: Sendable {
    let tables: DatafileTables
    /// Other objects for the same project; see ``holder(for:)``. Empty in these others themselves.
    ///
    /// Unmanaged because reading an array of objects counts references to the array, which all threads share. This
    /// object owns them and lets go of them at its end.
    private let holders: [Unmanaged<Project>]

    /// Where the events of a project are collected.
    public enum Region: String, Sendable {
        /// The United States, the default.
        case us = "US"
        /// The European Union.
        case eu = "EU"
    }

    /// Reads a datafile.
    ///
    /// Members that are not known are skipped. Anything required that is missing or of another type refuses the
    /// datafile as a whole, with an error that names the place; what is merely doubtful is a warning (``warnings``).
    ///
    /// - Parameters:
    ///   - datafile: The JSON text in UTF-8.
    ///   - format: The versions that are accepted. Default: version 4.
    ///   - limits: How deep and large the text may be.
    /// - Throws: `DatafileError`.
    /// - Complexity: O(n) in the size of the datafile; about 2 ms per megabyte.
    public init(
        datafile: [UInt8], format: DatafileFormat = .current, limits: JSONLimits = .standard
    ) throws(DatafileError) {
        var tables = DatafileTables(format: format, size: datafile.count)
        do throws(JSONError) {
            try datafile.withBytes { (bytes) throws(JSONError) in
                try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in
                    try tables.readDatafile(&reader)
                }
            }
        } catch { throw .invalid(error) }
        let version = tables.symbols.text(tables.version)
        guard format.versions.contains(version) else { throw .unsupportedVersion(version) }
        tables.link()
        self.tables = tables
        holders = (0..<User.stripeCount).map { _ in Unmanaged.passRetained(Project(sharing: tables)) }
    }

    private init(sharing tables: DatafileTables) {
        self.tables = tables
        holders = []
    }

    deinit { for holder in holders { holder.release() } }

    /// The object that a decision for a user keeps in place of this one.
    ///
    /// A decision keeps its project alive, which counts a reference up and down. If all threads counted on one object,
    /// two threads that decide one flag would take three times as long as one, waiting for each other's cache line. So
    /// decisions for different users count on different objects.
    @inline(__always)
    func holder(for user: User) -> Project { holder(user.stripe) }

    /// The holder with a number below ``User/stripeCount``.
    @inline(__always)
    package func holder(_ number: Int) -> Project {
        holders.isEmpty ? self : holders[number].takeUnretainedValue()
    }

    /// Keeps the reference counts of neighbouring objects on cache lines of their own.
    private let distance: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    @inline(__always)
    func text(_ symbol: Symbol) -> String { tables.symbols.text(symbol) }
}

// MARK: Identity

extension Project {
    /// The datafile's version, `4` for current ones.
    public var version: String { text(tables.version) }
    /// The project's id.
    public var projectID: String { text(tables.projectID) }
    /// The id of the account that the project belongs to.
    public var accountID: String { text(tables.accountID) }
    /// The revision of the datafile; it changes with every edit.
    public var revision: String { text(tables.revision) }
    /// The SDK key of the datafile's environment, if the datafile names it.
    public var sdkKey: String? { tables.symbols.optionalText(tables.sdkKey) }
    /// The key of the datafile's environment, if the datafile names it.
    public var environmentKey: String? { tables.symbols.optionalText(tables.environmentKey) }
    /// Where events of this project go.
    public var region: Region { tables.region }
    /// Whether the receiver of events is asked to forget IP addresses.
    public var anonymizesIP: Bool { tables.anonymizesIP }
    /// Whether the receiver of events is asked to filter bots, or nil: the datafile does not say.
    public var botFiltering: Bool? { tables.botFiltering }
    /// Whether decisions of delivery rules, and of no rule at all, are sent as impressions too.
    public var sendsFlagDecisions: Bool { tables.sendsFlagDecisions }
}
