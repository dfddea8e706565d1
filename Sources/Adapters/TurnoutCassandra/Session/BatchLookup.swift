import TurnoutClient
import TurnoutEngine

/// The lookups of many users: each by itself, so that it goes to a node that has the user, and a limited number at
/// the same time.
final class BatchLookup: Sendable {
    private struct State {
        var next = 0
        var runningCount = 0
        var profiles: [String: UserProfile] = [:]
        var failure: ProfileServerError?
        var isOver = false
    }

    private let userIDs: [String]
    private let limit: Int
    private let lookUp: @Sendable (String, @escaping Session.Receiver<UserProfile>) -> Void
    private let receive: Session.Receiver<[String: UserProfile]>
    private let state = Locked(State())

    /// Creates lookups.
    ///
    /// - Parameters:
    ///   - userIDs: The users, each once.
    ///   - limit: How many are looked up at the same time.
    ///   - lookUp: Looks a user up.
    ///   - receive: Receives the profiles, or the first failure.
    init(
        of userIDs: [String], limit: Int,
        _ lookUp: @escaping @Sendable (String, @escaping Session.Receiver<UserProfile>) -> Void,
        _ receive: @escaping Session.Receiver<[String: UserProfile]>
    ) {
        self.userIDs = userIDs
        self.limit = limit
        self.lookUp = lookUp
        self.receive = receive
    }

    /// Starts as many lookups as are allowed, and returns.
    func start() {
        state.withLock { $0.profiles.reserveCapacity(userIDs.count) }
        while let userID = state.withLock({ next(&$0) }) { start(userID) }
        endIfOver()
    }

    private func start(_ userID: String) {
        lookUp(userID) { found in
            let following: String? = self.state.withLock { state in
                state.runningCount -= 1
                switch found {
                case .success(let profile): state.profiles[userID] = profile
                case .failure(let error): state.failure = state.failure ?? error
                }
                return self.next(&state)
            }
            if let following { self.start(following) } else { self.endIfOver() }
        }
    }

    /// The next user to look up; nil if enough lookups are running, one has failed, or none is left.
    private func next(_ state: inout State) -> String? {
        guard state.failure == nil, state.runningCount < limit, state.next < userIDs.count else { return nil }
        state.runningCount += 1
        state.next += 1
        return userIDs[state.next - 1]
    }

    private func endIfOver() {
        let outcome: Result<[String: UserProfile], ProfileServerError>? = state.withLock { state in
            guard state.runningCount == 0, !state.isOver else { return nil }
            state.isOver = true
            return state.failure.map { .failure($0) } ?? .success(state.profiles)
        }
        if let outcome { receive(outcome) }
    }
}
