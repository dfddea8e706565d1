/// The decisions of a flag for a user: the current one, then each one that gives the user something else. See
/// ``UserContext/decisions(of:options:)``.
public struct DecisionUpdates: AsyncSequence, Sendable {
    /// Reports when to decide again.
    let signals: [ChangeSignal]
    /// Decides without effects; nil if the client is gone.
    let preview: @Sendable () -> DecidedContent?
    /// Decides; nil if the client is gone.
    let decide: @Sendable () -> (Decision, DecidedContent)?

    /// Starts a new sequence.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: ChangeSignal.changes(of: signals).makeAsyncIterator(), updates: self)
    }

    /// Waits for decisions.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: AsyncStream<Void>.Iterator
        let updates: DecisionUpdates
        var last: DecidedContent?

        /// The next decision; nil after the client was closed or the task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Decision? {
            while await changes.next(isolation: actor) != nil {
                guard let preview = updates.preview() else { return nil }
                guard preview != last else { continue }
                guard let (decision, content) = updates.decide() else { return nil }
                last = content
                return decision
            }
            return nil
        }
    }
}

/// What a decision gives to a user. Decisions of different datafiles can be equal in this.
struct DecidedContent: Equatable {
    private let userID: ByteKey
    private let isError, isEnabled: Bool
    private let ruleKey, variationKey: String?
    private let variables: [String: VariableValue]

    init(_ decision: Decision, userID: String) {
        self.userID = ByteKey(userID)
        (isError, isEnabled) = (decision.isError, decision.isEnabled)
        (ruleKey, variationKey) = (decision.ruleKey, decision.variationKey)
        variables = Dictionary(decision.variables.all.map { ($0.key, $0.value) }) { $1 }
    }
}
