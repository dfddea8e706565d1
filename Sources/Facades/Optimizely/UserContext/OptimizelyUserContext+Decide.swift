import TurnoutClient

/// Called with a decision.
public typealias DecideCompletion = (OptimizelyDecision) -> Void
/// Called with decisions by flag key.
public typealias DecideForKeysCompletion = ([String: OptimizelyDecision]) -> Void

// MARK: Deciding at once

extension OptimizelyUserContext {
    /// Decides a flag. Never waits for a network; contextual bandits are passed over.
    ///
    /// - Parameters:
    ///   - key: The key of the flag.
    ///   - options: Options beside the client's defaults. Default: none.
    /// - Returns: The decision. Without a datafile, or for an unknown flag, one without variation whose reason says so.
    public func decide(key: String, options: [OptimizelyDecideOption]? = nil) -> OptimizelyDecision {
        let content = content
        let made = link.withCore { $0.make(key, for: content.user, options: DecideOptions(options)) }
        return link.finish(made, content)
    }

    /// Decides several flags, in this order.
    ///
    /// - Parameters:
    ///   - keys: The keys of the flags.
    ///   - options: Options beside the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decide(keys: [String], options: [OptimizelyDecideOption]? = nil) -> [String: OptimizelyDecision] {
        let content = content
        let made = link.withCore { $0.make(keys, for: content.user, options: DecideOptions(options)) }
        return link.finish(made, content)
    }

    /// Decides all flags of the datafile, in its order.
    ///
    /// - Parameter options: Options beside the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decideAll(options: [OptimizelyDecideOption]? = nil) -> [String: OptimizelyDecision] {
        let content = content
        let made = link.withCore { $0.makeAll(for: content.user, options: DecideOptions(options)) }
        return link.finish(made, content)
    }
}

// MARK: Deciding with what must be waited for

extension OptimizelyUserContext {
    /// Decides a flag, contextual bandits included, and calls back on a thread of its own.
    ///
    /// Decisions do not wait for each other. If the client is gone, the call back comes at once.
    ///
    /// - Parameters:
    ///   - key: The key of the flag.
    ///   - options: Options beside the client's defaults. Default: none.
    ///   - completion: Called once, with the decision.
    public func decideAsync(
        key: String, options: [OptimizelyDecideOption]? = nil, completion: @escaping DecideCompletion
    ) {
        guard link.client != nil else { return completion(decide(key: key, options: options)) }
        answer(completion) { await $0.decideAsync(key: key, options: options) }
    }

    /// Decides several flags, contextual bandits included, and calls back on a thread of its own.
    ///
    /// See ``decideAsync(key:options:completion:)``.
    public func decideAsync(
        keys: [String], options: [OptimizelyDecideOption]? = nil, completion: @escaping DecideForKeysCompletion
    ) {
        guard link.client != nil else { return completion([:]) }
        answer(completion) { await $0.decideAsync(keys: keys, options: options) }
    }

    /// Decides all flags, contextual bandits included, and calls back on a thread of its own.
    ///
    /// See ``decideAsync(key:options:completion:)``.
    public func decideAllAsync(
        options: [OptimizelyDecideOption]? = nil, completion: @escaping DecideForKeysCompletion
    ) {
        guard link.client != nil else { return completion([:]) }
        answer(completion) { await $0.decideAllAsync(options: options) }
    }

    /// Decides a flag, contextual bandits included.
    ///
    /// - Parameters:
    ///   - key: The key of the flag.
    ///   - options: Options beside the client's defaults. Default: none.
    /// - Returns: The decision.
    public func decideAsync(key: String, options: [OptimizelyDecideOption]? = nil) async -> OptimizelyDecision {
        let content = content
        let made = await link.core.make(
            key, for: content.user, within: Self.patience, options: DecideOptions(options))
        return link.finish(made, content)
    }

    /// Decides several flags, contextual bandits included.
    ///
    /// - Parameters:
    ///   - keys: The keys of the flags.
    ///   - options: Options beside the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decideAsync(
        keys: [String], options: [OptimizelyDecideOption]? = nil
    ) async -> [String: OptimizelyDecision] {
        let content = content
        let made = await link.core.make(
            keys, for: content.user, within: Self.patience, options: DecideOptions(options))
        return link.finish(made, content)
    }

    /// Decides all flags of the datafile, contextual bandits included.
    ///
    /// - Parameter options: Options beside the client's defaults. Default: none.
    /// - Returns: The decisions by flag key; empty without a datafile.
    public func decideAllAsync(options: [OptimizelyDecideOption]? = nil) async -> [String: OptimizelyDecision] {
        let content = content
        let made = await link.core.makeAll(
            for: content.user, within: Self.patience, options: DecideOptions(options))
        return link.finish(made, content)
    }

    /// The vendor's client gives each of two attempts ten seconds, and waits a tenth between them.
    private static let patience = Duration.milliseconds(20_100)

    private func answer<Answer: Sendable>(
        _ completion: @escaping (Answer) -> Void,
        _ decide: @escaping @Sendable (OptimizelyUserContext) async -> Answer
    ) {
        let completion = Handed(completion)
        // What the user was when the call came, whatever changes until it is their turn.
        let user = clone
        // Callers may wait for the answer, and call backs may block as long as they like.
        Task(executorPreference: DispatchExecutor.waitedFor) {
            let answer = await decide(user)
            BlockingCall.start { completion.value(answer) }
        }
    }
}

// MARK: Answers

extension ClientLink {
    /// Announces a decision, and makes it what the caller gets.
    @inline(__always)
    fileprivate func finish(_ made: MadeDecision, _ content: UserContent) -> OptimizelyDecision {
        withAnnouncer { $0.announceFlag(made, content) }
        return OptimizelyDecision(made.decision, for: OptimizelyUserContext(content, self))
    }

    fileprivate func finish(_ made: MadeDecisions, _ content: UserContent) -> [String: OptimizelyDecision] {
        if made.returned.isEmpty, core.project == nil { log.report(.sdkNotReady) }
        withAnnouncer { announcer in
            withCore { $0.send(made) { announcer.announceFlag($0, content) } }
        }
        guard !made.returned.isEmpty else { return [:] }
        let user = OptimizelyUserContext(content, self)
        var decisions = [String: OptimizelyDecision](minimumCapacity: made.returned.count)
        for decision in made.returned { decisions[decision.flagKey] = OptimizelyDecision(decision, for: user) }
        return decisions
    }
}
