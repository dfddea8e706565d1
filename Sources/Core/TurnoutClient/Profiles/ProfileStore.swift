/// Stores users' assignments, so that they keep their variation when traffic changes.
///
/// Users are distinguished by the bytes of their ids, as in bucketing. `String` considers ids equal that differ only in
/// composed and decomposed letters, so a dictionary keyed by id would give one user another's assignments.
///
/// A store *merges*: new assignments are added atomically, so that clients, processes and servers that share a store
/// never lose each other's assignments.
///
/// To write a store, implement ``profile(of:)`` and ``save(_:for:)``; everything else has a default. Synchronous
/// decisions call a store on their own thread, several at a time. Asynchronous ones do so too, unless ``isRemote`` is
/// true: then they call it on a dedicated thread. Decisions do not fail with a store: its errors are counted in
/// ``FlagClient/profileFailures`` and logged. A client reads ``isRemote`` and ``savesImmediately`` once, when it is
/// created.
///
/// ```swift
/// struct TableProfileStore: ProfileStore {
///     let table: any Table
///
///     func profile(of userID: String) throws -> UserProfile {
///         UserProfile(try table.variationsByExperiment(of: userID))
///     }
///
///     func save(_ assignments: [String: String], for userID: String) throws {
///         for (experiment, variation) in assignments { try table.upsert(userID, experiment, variation) }
///     }
///
///     var isRemote: Bool { true }
/// }
/// ```
///
/// ``MemoryProfileStore`` is a store for tests. `checkProfileStore` of `TurnoutTestKit` checks what a store has to
/// guarantee.
public protocol ProfileStore: Sendable {
    /// The user's earlier assignments; empty if there are none.
    ///
    /// - Throws: Any error, if the lookup failed. The decision is then made without it (``Reason/profileUnavailable``),
    ///   and nothing is overwritten.
    func profile(of userID: String) throws -> UserProfile

    /// The profiles of many users by id; users without assignments may be missing.
    ///
    /// Of ids that `String` considers equal only the first is looked up, because the result has room for one; use
    /// another call for the others. Remote stores look up all users at once. Default: one after the other.
    ///
    /// - Throws: Any error, if one of the lookups failed.
    func profiles(of userIDs: [String]) throws -> [String: UserProfile]

    /// The user's earlier assignments, if they are available without waiting; nil: call ``profile(of:)``.
    ///
    /// Decisions with a deadline call this first, to avoid using another thread. Default: nil.
    func profileInMemory(of userID: String) -> UserProfile?

    /// Adds assignments of a user: variation ids by experiment id. Later ones replace earlier ones.
    ///
    /// - Throws: Any error, if the assignments could not be stored.
    func save(_ assignments: [String: String], for userID: String) throws

    /// Erases all assignments of a user, for requests for deletion. May block. Default: throws
    /// ``ProfileStoreError/cannotForget``.
    ///
    /// Not called by clients. When it returns, no file of the store contains the assignments, and none that were added
    /// before are still queued.
    ///
    /// - Throws: Any error, if something may be left. The call can be repeated.
    func forget(_ userID: String) throws

    /// Waits until all assignments are stored, but not longer than a limit. Late writes continue in the background.
    /// Called when a client is flushed or closed. Default: does nothing.
    func flush(within limit: Duration) async

    /// Whether calls wait for another process or machine, or for a disk. Decisions with a deadline then make them on a
    /// dedicated thread, never on one of Swift's concurrency pool. Default: false.
    var isRemote: Bool { get }

    /// Whether ``save(_:for:)`` never waits, although other calls may. Default: true, unless ``isRemote``.
    var savesImmediately: Bool { get }
}

extension ProfileStore {
    /// Returns false.
    public var isRemote: Bool { false }

    /// Returns true, unless the store is remote.
    public var savesImmediately: Bool { !isRemote }

    /// Returns nil.
    public func profileInMemory(of userID: String) -> UserProfile? { nil }

    /// Throws ``ProfileStoreError/cannotForget``.
    public func forget(_ userID: String) throws { throw ProfileStoreError.cannotForget }

    /// Does nothing.
    public func flush(within limit: Duration) async {}

    /// Looks up one user after the other.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        try (userIDs.bySpelling.first ?? []).reduce(into: [:]) { $0[$1] = try profile(of: $1) }
    }
}

/// Why a profile store failed, apart from its own errors.
public enum ProfileStoreError: Error, Sendable, Equatable {
    /// The wrapped store did not respond in time.
    case timedOut
    /// The wrapped store was not called, because too many calls are late.
    case unresponsive
    /// Too many assignments are queued for writing.
    case full
    /// The store has no ``ProfileStore/forget(_:)``.
    case cannotForget
}

extension ProfileStoreError: PrintableError {
    /// A description of the error.
    public var description: String {
        switch self {
        case .timedOut: "the store did not respond in time"
        case .unresponsive: "the store no longer responds"
        case .full: "too many assignments wait to be written"
        case .cannotForget: "the profile store cannot erase the assignments of a user"
        }
    }
}
