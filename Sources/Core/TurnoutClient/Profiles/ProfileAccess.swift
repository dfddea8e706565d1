/// How one decision deals with what is remembered: it looks once, and adds once what is new.
///
/// Between the two other decisions may be made for the same user; an access sees to it that none of their assignments
/// is lost. Stores that merge do that by themselves (``StoreAccess``); a service that can only replace whole profiles
/// needs more care, which is why this is a protocol.
package protocol ProfileAccess: AnyObject, Sendable {
    /// Looks up what a user was assigned. Never fails: without an answer the profile is unavailable.
    func open(_ userID: String) -> ProfileVisit
    /// As ``open(_:)``, but does not count a failure yet: somebody whose time is up has counted it as late.
    func attempt(_ userID: String) -> ProfileVisit
    /// Counts the failure of an attempt, if there is one.
    func count(_ visit: ProfileVisit)
    /// As ``open(_:)``, unless that might wait: then nil.
    func openAtOnce(_ userID: String) -> ProfileVisit?
    /// Ends a visit. `assignments` are new ones, or empty. Called exactly once for each visit.
    func close(_ visit: ProfileVisit, adding assignments: [String: String])
    /// As ``close(_:adding:)``, unless that might wait: then false, and the visit is not ended.
    func closeAtOnce(_ visit: ProfileVisit, adding assignments: [String: String]) -> Bool
    /// Counts a look-up that nobody waits for any longer.
    func lookupWasLate()
    /// Waits until what was added is where it belongs, but not longer than a limit.
    func flush(within limit: Duration) async
    /// What went wrong so far.
    var failures: ProfileFailures { get }
    /// Whether these calls wait for another process or machine.
    var isRemote: Bool { get }
}

extension ProfileAccess {
    package func attempt(_ userID: String) -> ProfileVisit { open(userID) }
    package func count(_ visit: ProfileVisit) {}
    package func openAtOnce(_ userID: String) -> ProfileVisit? { isRemote ? nil : open(userID) }

    package func closeAtOnce(_ visit: ProfileVisit, adding assignments: [String: String]) -> Bool {
        guard !isRemote else { return false }
        close(visit, adding: assignments)
        return true
    }

    package func lookupWasLate() {}
    package func flush(within limit: Duration) async {}
    package var failures: ProfileFailures { ProfileFailures() }
}

/// The time between the look-up and the end of a decision.
package struct ProfileVisit: Sendable {
    /// Whose profile it is.
    package let userID: String
    /// What was found.
    package let profile: UserProfile
    /// Why nothing was found; nil: something was.
    package let failure: (any Error)?

    /// Starts a visit.
    package init(userID: String, profile: UserProfile, failure: (any Error)? = nil) {
        self.userID = userID
        self.profile = profile
        self.failure = failure
    }
}

/// Access to a store that merges.
package final class StoreAccess: ProfileAccess {
    private let store: any ProfileStore
    private let ledger: ProfileLedger

    /// Creates the access of a store. Failures are counted, and reported to the log.
    package init(_ store: any ProfileStore, log: any Log) {
        self.store = store
        isRemote = store.isRemote
        ledger = ProfileLedger("profile store", log: log)
    }

    /// Asked once: it is read with every decision.
    package let isRemote: Bool

    package var failures: ProfileFailures { ledger.failures }

    package func open(_ userID: String) -> ProfileVisit {
        let visit = attempt(userID)
        count(visit)
        return visit
    }

    package func attempt(_ userID: String) -> ProfileVisit {
        do {
            return ProfileVisit(userID: userID, profile: try store.profile(of: userID))
        } catch {
            return ProfileVisit(userID: userID, profile: .unavailable, failure: error)
        }
    }

    package func count(_ visit: ProfileVisit) {
        if let error = visit.failure { ledger.add(error.kindOfLookup, error) }
    }

    package func openAtOnce(_ userID: String) -> ProfileVisit? {
        guard isRemote else { return open(userID) }
        return store.profileInMemory(of: userID).map { ProfileVisit(userID: userID, profile: $0) }
    }

    package func close(_ visit: ProfileVisit, adding assignments: [String: String]) {
        guard !assignments.isEmpty else { return }
        do {
            try store.remember(assignments, for: visit.userID)
        } catch {
            ledger.add(error.kindOfWrite, error)
        }
    }

    package func closeAtOnce(_ visit: ProfileVisit, adding assignments: [String: String]) -> Bool {
        guard !isRemote || assignments.isEmpty else { return false }
        close(visit, adding: assignments)
        return true
    }

    package func lookupWasLate() { ledger.add(.lookupLate) }

    package func flush(within limit: Duration) async { await store.flush(within: limit) }
}

extension Error {
    fileprivate var kindOfLookup: ProfileFailures.Kind {
        switch self as? ProfileStoreError {
        case .late, .stuck: .lookupLate
        case .full, nil: .lookupFailed
        }
    }

    fileprivate var kindOfWrite: ProfileFailures.Kind {
        switch self as? ProfileStoreError {
        case .late: .writeLate
        case .stuck, .full: .writeLost
        case nil: .writeFailed
        }
    }
}
