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

/// A profile store whose profiles can also be replaced and removed, as services of the vendor's interfaces do.
///
/// The facades' user profile services call these functions on the threads of their callers: in decisions, for programs,
/// and to migrate older data when a service is created. The server calls ``replace(with:for:)`` for `/v1/save`, on a
/// thread for blocking calls if the store is remote. Calls overlap, for one user, too. If a call throws, a service does
/// not fail, and the server answers with status 500. Calls must end by themselves, because a server waits for lookups
/// in a store of this kind without a limit.
package protocol EditableProfileStore: ProfileStore {
    /// Whether assignments persist across launches.
    var isDurable: Bool { get }
    /// The number of assignments that are in memory only, and why they cannot be stored; nil if they can. Default:
    /// none.
    var waiting: (assignments: Int, error: (any Error)?) { get }
    /// The user's assignments in the store itself, bypassing any cache. Default: ``ProfileStore/profile(of:)``.
    ///
    /// - Throws: The store's error.
    func latestProfile(of userID: String) throws -> UserProfile
    /// Replaces all assignments of a user. Takes no longer than ``ProfileStore/save(_:for:)``.
    ///
    /// - Throws: The store's error, if they cannot be stored.
    func replace(with assignments: [String: String], for userID: String) throws
    /// Removes all profiles.
    ///
    /// - Throws: The store's error, if they are still there.
    func removeAll() throws
    /// Removes assignments to experiments that are no longer live.
    ///
    /// - Parameters:
    ///   - experiments: The ids of the live experiments.
    ///   - count: Only users with at least this many assignments are affected.
    /// - Throws: The store's error, if nothing was changed.
    func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws
    /// Writes pending assignments to durable storage.
    ///
    /// - Throws: The store's error, if some remain in memory.
    func synchronize() throws
}

extension EditableProfileStore {
    package var waiting: (assignments: Int, error: (any Error)?) { (0, nil) }

    /// Returns ``ProfileStore/profile(of:)``.
    package func latestProfile(of userID: String) throws -> UserProfile { try profile(of: userID) }

    /// Adds assignments from an older store, unless the user has another one in the same experiment.
    ///
    /// - Throws: The store's error. Assignments that cannot be read may be newer, so nothing is added then.
    package func addMissing(_ assignments: [String: String], for userID: String) throws {
        let known = try latestProfile(of: userID).assignments
        let missing = assignments.filter { known[$0.key] == nil }
        if !missing.isEmpty { try save(missing, for: userID) }
    }

    /// Whether a user has an assignment in each of these experiments.
    package func hasAssignments(of userID: String, inExperimentsOf assignments: [String: String]) -> Bool {
        guard let known = try? latestProfile(of: userID).assignments else { return false }
        return assignments.keys.allSatisfy { known[$0] != nil }
    }
}

/// A profile store that serves many users with one request: ``ProfileStore/profiles(of:)`` makes one for all users, or
/// one for each server.
package protocol BatchProfileStore: ProfileStore {
    /// Adds assignments of users. Each user occurs once; otherwise like ``ProfileStore/save(_:for:)``.
    ///
    /// - Returns: Whether the store can do that with one request; otherwise nothing was stored. Default: false.
    /// - Throws: Any error, if some of the assignments could not be stored. Others may have been.
    func save(_ batch: [(userID: String, assignments: [String: String])]) throws -> Bool
}

extension BatchProfileStore {
    package func save(_ batch: [(userID: String, assignments: [String: String])]) throws -> Bool { false }
}

/// A profile store with asynchronous calls, which suspend instead of blocking a thread.
///
/// Asynchronous decisions await these calls, instead of blocking a dedicated thread with each. They return or throw in
/// bounded time, by the store's own limits.
package protocol AwaitableProfileStore: ProfileStore {
    /// The user's earlier assignments, like ``ProfileStore/profile(of:)``.
    ///
    /// - Throws: The store's error.
    func awaitProfile(of userID: String) async throws -> UserProfile

    /// Adds assignments of a user, like ``ProfileStore/save(_:for:)``.
    ///
    /// - Throws: The store's error.
    func awaitSave(_ assignments: [String: String], for userID: String) async throws
}
