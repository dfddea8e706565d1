import TurnoutClient

/// Receives the decision for one flag.
public typealias DecideCompletion = (OptimizelyDecision) -> Void
/// Receives the decisions for several flags, by flag key.
public typealias DecideForKeysCompletion = ([String: OptimizelyDecision]) -> Void

// MARK: Synchronous decisions

extension OptimizelyUserContext {
    /// Evaluates a flag for the user. Never waits for the network of this library; contextual bandit rules are skipped.
    ///
    /// - Parameters:
    ///   - key: The key of the flag.
    ///   - options: Options in addition to the client's defaults. Default: none.
    /// - Returns: The decision. Without a datafile, or for an unknown flag, it has no variation and its reasons say
    ///   why.
    public func decide(key: String, options: [OptimizelyDecideOption]? = nil) -> OptimizelyDecision {
        let (content, reference) = (content, reference.current)
        var sent: ImpressionEvent?
        let decision = reference.withRuntime {
            $0.evaluate(key, for: content.user, options: DecideOptions(options), sent: &sent)
        }
        return reference.notify(decision, sent, content)
    }

    /// Evaluates several flags for the user, in the given order.
    ///
    /// - Parameters:
    ///   - keys: The keys of the flags.
    ///   - options: Options in addition to the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decide(keys: [String], options: [OptimizelyDecideOption]? = nil) -> [String: OptimizelyDecision] {
        let (content, reference) = (content, reference.current)
        let result = reference.withRuntime { $0.evaluate(keys, for: content.user, options: DecideOptions(options)) }
        return reference.notify(result, content)
    }

    /// Evaluates all flags of the datafile for the user, in the datafile's order.
    ///
    /// - Parameter options: Options in addition to the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decideAll(options: [OptimizelyDecideOption]? = nil) -> [String: OptimizelyDecision] {
        let (content, reference) = (content, reference.current)
        let result = reference.withRuntime { $0.evaluateAll(for: content.user, options: DecideOptions(options)) }
        return reference.notify(result, content)
    }
}

// MARK: Asynchronous decisions

extension OptimizelyUserContext {
    /// Evaluates a flag for the user, including contextual bandit rules, and calls `completion` on a separate thread.
    ///
    /// Decisions run concurrently. If the client has been released, `completion` is called before this method returns.
    ///
    /// - Parameters:
    ///   - key: The key of the flag.
    ///   - options: Options in addition to the client's defaults. Default: none.
    ///   - completion: Called once, with the decision.
    public func decideAsync(
        key: String, options: [OptimizelyDecideOption]? = nil, completion: @escaping DecideCompletion
    ) {
        guard reference.client != nil else { return completion(decide(key: key, options: options)) }
        complete(completion) { await $0.decideAsync(key: key, options: options) }
    }

    /// Evaluates several flags for the user, including contextual bandit rules, and calls `completion` on a separate
    /// thread.
    ///
    /// See ``decideAsync(key:options:completion:)``.
    public func decideAsync(
        keys: [String], options: [OptimizelyDecideOption]? = nil, completion: @escaping DecideForKeysCompletion
    ) {
        guard reference.client != nil else { return completion([:]) }
        complete(completion) { await $0.decideAsync(keys: keys, options: options) }
    }

    /// Evaluates all flags for the user, including contextual bandit rules, and calls `completion` on a separate
    /// thread.
    ///
    /// See ``decideAsync(key:options:completion:)``.
    public func decideAllAsync(
        options: [OptimizelyDecideOption]? = nil, completion: @escaping DecideForKeysCompletion
    ) {
        guard reference.client != nil else { return completion([:]) }
        complete(completion) { await $0.decideAllAsync(options: options) }
    }

    /// Evaluates a flag for the user, including contextual bandit rules.
    ///
    /// - Parameters:
    ///   - key: The key of the flag.
    ///   - options: Options in addition to the client's defaults. Default: none.
    /// - Returns: The decision.
    public func decideAsync(key: String, options: [OptimizelyDecideOption]? = nil) async -> OptimizelyDecision {
        let content = content
        let result = await reference.runtime.evaluate(
            key, for: content.user, within: Self.timeLimit, options: DecideOptions(options))
        return reference.notify(result.decision, result.sent, content)
    }

    /// Evaluates several flags for the user, including contextual bandit rules.
    ///
    /// - Parameters:
    ///   - keys: The keys of the flags.
    ///   - options: Options in addition to the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decideAsync(
        keys: [String], options: [OptimizelyDecideOption]? = nil
    ) async -> [String: OptimizelyDecision] {
        let content = content
        return await decide(content) {
            await $0.evaluate(keys, for: content.user, within: Self.timeLimit, options: DecideOptions(options))
        }
    }

    /// Evaluates all flags of the datafile for the user, including contextual bandit rules.
    ///
    /// - Parameter options: Options in addition to the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decideAllAsync(options: [OptimizelyDecideOption]? = nil) async -> [String: OptimizelyDecision] {
        let content = content
        return await decide(content) {
            await $0.evaluateAll(for: content.user, within: Self.timeLimit, options: DecideOptions(options))
        }
    }

    /// Decides, and sends the impressions; together within ``timeLimit``.
    private func decide(
        _ content: UserContent, _ decide: (DecisionRuntime) async -> DecisionResults
    ) async -> [String: OptimizelyDecision] {
        let elapsed = ContinuousClock().stopwatch()
        let runtime = reference.runtime
        let results = await decide(runtime)
        await runtime.sendImpressions(of: results, within: Self.timeLimit - elapsed()) { result in
            reference.withNotifications { $0.sendFlagDecision(result.decision, result.sent, content) }
        }
        return reference.decisions(results, content)
    }

    /// The vendor's client makes two attempts of ten seconds each, 0.1 seconds apart.
    private static let timeLimit = Duration.milliseconds(20_100)

    private func complete<Value: Sendable>(
        _ completion: @escaping (Value) -> Void,
        _ decide: @escaping @Sendable (OptimizelyUserContext) async -> Value
    ) {
        let completion = UncheckedSendable(completion)
        // A copy, because the context may change before the task runs.
        let user = clone
        // This executor has threads even if callers block until completion; completions may block as well.
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            let value = await decide(user)
            BlockingCall.start { completion.value(value) }
        }
    }
}

// MARK: Results

extension ClientReference {
    /// Announces a decision and converts it to the caller's type.
    @inline(__always)
    fileprivate func notify(
        _ decision: consuming Decision, _ sent: ImpressionEvent?, _ content: UserContent
    ) -> OptimizelyDecision {
        withNotifications { $0.sendFlagDecision(decision, sent, content) }
        return OptimizelyDecision(decision, for: OptimizelyUserContext(content, self))
    }

    fileprivate func notify(_ results: DecisionResults, _ content: UserContent) -> [String: OptimizelyDecision] {
        withNotifications { notifications in
            withRuntime {
                $0.sendImpressions(of: results) { notifications.sendFlagDecision($0.decision, $0.sent, content) }
            }
        }
        return decisions(results, content)
    }

    /// Converts decisions to the caller's type.
    fileprivate func decisions(_ results: DecisionResults, _ content: UserContent) -> [String: OptimizelyDecision] {
        if results.selected.isEmpty, runtime.project == nil { log.report(.sdkNotReady) }
        guard !results.selected.isEmpty else { return [:] }
        let user = OptimizelyUserContext(content, self)
        var decisions = [String: OptimizelyDecision](minimumCapacity: results.selected.count)
        for decision in results.selected { decisions[decision.flagKey] = OptimizelyDecision(decision, for: user) }
        return decisions
    }
}
