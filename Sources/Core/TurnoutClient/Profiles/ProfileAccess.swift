/// How one decision deals with what is remembered: it looks once, and adds once what is new.
///
/// Between the two other decisions may be made for the same user; an access sees to it that none of their assignments
/// is lost. Stores that merge do that by themselves (``StoreAccess``); a service that can only replace whole profiles
/// needs more care, which is why this is a protocol.
package protocol ProfileAccess: AnyObject, Sendable {
    /// Looks up what a user was assigned. Never fails: without an answer the profile is empty.
    func open(_ userID: String) -> ProfileVisit
    /// Ends a visit. `assignments` are new ones, or empty. Called exactly once for each visit.
    func close(_ visit: ProfileVisit, adding assignments: [String: String])
    /// Whether these calls wait for another process or machine.
    var isRemote: Bool { get }
}

/// The time between the look-up and the end of a decision.
package struct ProfileVisit: Sendable {
    /// Whose profile it is.
    package let userID: String
    /// What was found.
    package let profile: UserProfile
    /// Whatever the access needs to remember.
    package let ticket: (any Sendable)?

    /// Starts a visit.
    package init(userID: String, profile: UserProfile, ticket: (any Sendable)? = nil) {
        self.userID = userID
        self.profile = profile
        self.ticket = ticket
    }
}

/// Access to a store that merges.
final class StoreAccess: ProfileAccess {
    private let store: any ProfileStore
    private let log: any Log

    init(_ store: any ProfileStore, log: any Log) {
        self.store = store
        self.log = log
    }

    var isRemote: Bool { store.isRemote }

    func open(_ userID: String) -> ProfileVisit {
        do {
            return ProfileVisit(userID: userID, profile: try store.profile(of: userID))
        } catch {
            log.failure(.error, "profile store: assignments could not be read, deciding without them", error)
            return ProfileVisit(userID: userID, profile: UserProfile())
        }
    }

    func close(_ visit: ProfileVisit, adding assignments: [String: String]) {
        guard !assignments.isEmpty else { return }
        do {
            try store.remember(assignments, for: visit.userID)
        } catch {
            log.failure(.error, "profile store: \(assignments.count) assignments could not be stored", error)
        }
    }
}
