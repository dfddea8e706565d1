/// Remembers which variation a user was assigned in which experiment, so that they keep it when traffic changes.
///
/// Users are told apart by the bytes of their ids, as buckets are. `String` calls ids equal that differ in composed and
/// decomposed letters, so a dictionary with ids as keys would give one user what another was assigned.
///
/// A store *merges*: what it is given is added to what it has, atomically, so that clients, processes and servers that
/// share a store never lose each other's assignments.
public protocol ProfileStore: Sendable {
    /// What a user was assigned before; empty if nothing is known.
    ///
    /// - Throws: Anything, if the store cannot tell. The decision is then made without it and says so
    ///   (``Reason/profileUnavailable``), and nothing is overwritten.
    func profile(of userID: String) throws -> UserProfile

    /// What many users were assigned before, by their ids; who is not known may be missing.
    ///
    /// Of ids that `String` calls equal the first is looked up, because the result has room for one; ask for the others
    /// with another call. Stores on other machines ask for all users at once. Default: one after the other.
    ///
    /// - Throws: Anything, if the store cannot tell of one of them.
    func profiles(of userIDs: [String]) throws -> [String: UserProfile]

    /// What a user was assigned before, if that can be told without waiting; nil: ask ``profile(of:)``.
    ///
    /// Decisions with a deadline ask this first and save themselves another thread. Default: nil.
    func profileInMemory(of userID: String) -> UserProfile?

    /// Adds assignments to those of a user: variation ids by experiment id. Later ones win.
    ///
    /// - Throws: Anything, if the assignments could not be stored.
    func remember(_ assignments: [String: String], for userID: String) throws

    /// Waits until everything that was added is where it belongs, but not longer than a limit. What is late goes on by
    /// itself. Called when a client is flushed or closed. Default: does nothing.
    func flush(within limit: Duration) async

    /// Whether calls wait for another process or machine, or for a disk. Decisions with a deadline then make them on a
    /// thread of their own, never on one that Swift's tasks share. Default: false.
    var isRemote: Bool { get }
}

extension ProfileStore {
    /// False.
    public var isRemote: Bool { false }

    /// Nil.
    public func profileInMemory(of userID: String) -> UserProfile? { nil }

    /// Does nothing.
    public func flush(within limit: Duration) async {}

    /// Asks for one after the other.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        try (userIDs.bySpelling.first ?? []).reduce(into: [:]) { $0[$1] = try profile(of: $1) }
    }
}
