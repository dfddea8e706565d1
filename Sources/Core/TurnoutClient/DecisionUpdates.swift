/// The decisions of a flag for a user: the current one, then each one that differs from the last. See
/// ``UserContext/decisions(of:within:options:)``.
public struct DecisionUpdates: AsyncSequence, Sendable {
    /// Reports when to decide again.
    let signals: [ChangeSignal]
    /// Decides, and commits the assignment. Sends the impression and notifies listeners only if the result differs from
    /// the last one.
    let decide: @Sendable (_ last: DecidedContent?) async -> Outcome

    /// The outcome of deciding again.
    enum Outcome {
        case new(Decision, DecidedContent)
        case unchanged
        /// The client or the user is gone.
        case ended
    }

    /// Starts a new sequence.
    public func makeAsyncIterator() -> Iterator {
        Iterator(changes: ChangeSignal.changes(of: signals).makeAsyncIterator(), updates: self)
    }

    /// Waits for decisions.
    public struct Iterator: AsyncIteratorProtocol {
        var changes: AsyncStream<Void>.Iterator
        let updates: DecisionUpdates
        var last: DecidedContent?

        /// The next decision; nil after the client was closed or the task canceled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> Decision? {
            while await changes.next(isolation: actor) != nil {
                switch await updates.decide(last) {
                case .new(let decision, let content):
                    last = content
                    return decision
                case .unchanged: continue
                case .ended: return nil
                }
            }
            return nil
        }
    }
}

/// The content of a decision for a user. Decisions of different datafiles can be equal in this.
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
