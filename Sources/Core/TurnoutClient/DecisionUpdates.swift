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

extension FlagClient {
    /// The decisions of a flag for a user as they change. See
    /// ``UserContext/decisions(of:within:options:)``.
    public func decisions(
        of flagKey: String, for user: User, within limit: Duration = .seconds(1), options: DecideOptions = []
    ) -> DecisionUpdates {
        decisions(of: flagKey, within: limit, options, signals: [decisionSignal]) { user }
    }

    /// The decisions of a flag for a user that may change; `user` returns nil when there is none any more.
    func decisions(
        of flagKey: String, within limit: Duration, _ options: DecideOptions, signals: [ChangeSignal],
        for user: @escaping @Sendable () -> User?
    ) -> DecisionUpdates {
        DecisionUpdates(signals: signals) { [weak self] last in
            guard let self, let user = user() else { return .ended }
            let decided = await self.decide(
                flagKey, for: user, within: limit, options: options, unlessEqualTo: last)
            return if let (decision, content) = decided { .new(decision, content) } else { .unchanged }
        }
    }
}

extension UserContext {
    /// The decisions of a flag as they change: first the current one, then a new one whenever the result changes
    /// because of a new datafile or a forced variation.
    ///
    /// ```swift
    /// for await checkout in ada.decisions(of: "checkout") { show(checkout) }
    /// ```
    ///
    /// Each decision of the sequence has the effects of ``FlagClient/decide(_:for:within:options:)->Decision``: its
    /// impression is queued, because the user sees another variation. Deciding again without a different result sends
    /// no impression, and calls neither listeners nor hooks after the decision; hooks before it are called, and a new
    /// assignment is stored. To send no impressions, pass `disableDecisionEvent`.
    ///
    /// Two decisions are equal if they have the same rule, variation, state and variables. Before the client has a
    /// datafile, the first decision is ``DecisionStage/notReady``. For a slow reader, changes are merged.
    ///
    /// The context is a value, so its attributes do not change in the sequence. For a user whose attributes change, see
    /// ``UserSession``.
    ///
    /// - Parameters:
    ///   - flagKey: The key of the flag.
    ///   - limit: The time that each decision waits for predictions and slow stores, without blocking a thread.
    ///     Default: 1 second.
    ///   - options: Options in addition to the client's defaults.
    /// - Returns: A sequence that ends when its task is canceled, or the client is closed or deallocated. The sequence
    ///   does not keep the client in memory.
    public func decisions(
        of flagKey: String, within limit: Duration = .seconds(1), options: DecideOptions = []
    ) -> DecisionUpdates {
        client.decisions(of: flagKey, for: user, within: limit, options: options)
    }
}
