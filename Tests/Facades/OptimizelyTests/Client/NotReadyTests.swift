/// Results of calls without a configuration, and of calls with unknown keys.
@Suite(.ownThread) struct NotReadyTests {
    enum State: CaseIterable { case neverStarted, failedStart, released }

    private let notReady = OptimizelyError.sdkNotReady.errorDescription

    private func setup(_ state: State) throws -> TestSetup {
        let setup = try TestSetup(nil)
        if state == .failedStart { #expect(throws: OptimizelyError.self) { try setup.client.start(datafile: "{}") } }
        return setup
    }

    private func context(_ state: State) throws -> (user: OptimizelyUserContext, logger: RecordingMessages) {
        let setup = try state == .released ? TestSetup() : setup(state)
        return (setup.user(), setup.logger)
    }

    // MARK: Calls of the client

    @Test(arguments: [State.neverStarted, .failedStart]) func throwingCallsAreNotReady(_ state: State) throws {
        let client = try setup(state).client
        let calls: [() throws -> Void] = [
            { _ = try client.activate(experimentKey: "ab", userId: "u") },
            { _ = try client.getVariationKey(experimentKey: "ab", userId: "u") },
            { _ = try client.getFeatureVariableBoolean(featureKey: "tested", variableKey: "b", userId: "u") },
            { _ = try client.getFeatureVariableDouble(featureKey: "tested", variableKey: "d", userId: "u") },
            { _ = try client.getFeatureVariableInteger(featureKey: "tested", variableKey: "i", userId: "u") },
            { _ = try client.getFeatureVariableString(featureKey: "tested", variableKey: "s", userId: "u") },
            { _ = try client.getFeatureVariableJSON(featureKey: "tested", variableKey: "j", userId: "u") },
            { _ = try client.getAllFeatureVariables(featureKey: "tested", userId: "u") },
            { try client.track(eventKey: "purchase", userId: "u") }, { _ = try client.getOptimizelyConfig() },
        ]
        for call in calls { #expect(reason(call) == notReady) }
    }

    @Test(arguments: [State.neverStarted, .failedStart]) func otherCallsReturnNothing(_ state: State) throws {
        let setup = try setup(state)
        let client = setup.client
        #expect(client.getForcedVariation(experimentKey: "ab", userId: "u") == nil)
        #expect(!client.setForcedVariation(experimentKey: "ab", userId: "u", variationKey: "on"))
        #expect(!client.setForcedVariation(experimentKey: "ab", userId: "u", variationKey: nil))
        #expect(client.createUserContext(attributes: [:]) == nil && setup.logger.has(.error, "id"))
        client.close()
        #expect(setup.dispatcher.events.isEmpty)
    }

    @Test func silentCallsLogThatTheyAreNotReady() throws {
        for call in [
            { !$0.isFeatureEnabled(featureKey: "rolled", userId: "u") }, { $0.getEnabledFeatures(userId: "u").isEmpty },
        ] as [(OptimizelyClient) -> Bool] {
            let setup = try TestSetup(nil)
            #expect(call(setup.client))
            #expect(setup.logger.has(.error, notReady))
        }
    }

    // MARK: Calls of contexts

    @Test(arguments: State.allCases) func aDecisionSaysThatItIsNotReady(_ state: State) async throws {
        let (user, _) = try context(state)
        let decision = user.decide(key: "tested")
        #expect(decision.variationKey == nil && !decision.enabled && decision.variables.isEmpty)
        #expect(decision.ruleKey == nil && decision.flagKey == "tested" && decision.userContext == user)
        #expect(decision.reasons == [try #require(notReady)])
        #expect(await user.decideAsync(key: "tested") == decision)
        #expect(
            await withCheckedContinuation { done in user.decideAsync(key: "tested") { done.resume(returning: $0) } }
                == decision)
    }

    @Test(arguments: State.allCases) func severalDecisionsAreEmptyAndLogAnError(_ state: State) async throws {
        let (user, logger) = try context(state)
        #expect(user.decide(keys: ["tested", "rolled"]).isEmpty && user.decideAll().isEmpty)
        #expect(logger.has(.error, notReady))
        #expect(await user.decideAsync(keys: ["tested"]).isEmpty)
        #expect(await user.decideAllAsync().isEmpty)
        #expect(await withCheckedContinuation { done in user.decideAllAsync { done.resume(returning: $0) } }.isEmpty)
        #expect(
            await withCheckedContinuation { done in user.decideAsync(keys: ["a"]) { done.resume(returning: $0) } }
                .isEmpty)
    }

    @Test(arguments: State.allCases) func contextsKeepTheirForcedDecisions(_ state: State) throws {
        let (user, _) = try context(state)
        let flag = OptimizelyDecisionContext(flagKey: "tested")
        #expect(user.getForcedDecision(context: flag) == nil && !user.removeForcedDecision(context: flag))
        #expect(user.removeAllForcedDecisions())
        #expect(user.setForcedDecision(context: flag, decision: OptimizelyForcedDecision(variationKey: "anything")))
        #expect(user.getForcedDecision(context: flag)?.variationKey == "anything")
        #expect(!user.removeForcedDecision(context: OptimizelyDecisionContext(flagKey: "tested", ruleKey: "other")))
        #expect(user.removeForcedDecision(context: flag))
        #expect(reason { try user.trackEvent(eventKey: "purchase") } == notReady)
        #expect(!user.isQualifiedFor(segment: "a"))
        user.qualifiedSegments = ["a"]
        #expect(user.isQualifiedFor(segment: "a") && !user.isQualifiedFor(segment: "b"))
    }

    @Test func aReleasedClientCompletesInline() throws {
        let (user, _) = try context(.released)
        var completions = 0
        user.decideAsync(key: "tested") { _ in completions += 1 }
        user.decideAsync(keys: ["tested"]) { _ in completions += 1 }
        user.decideAllAsync { _ in completions += 1 }
        user.fetchQualifiedSegments { (error: OptimizelyError?) in
            #expect(error?.errorDescription == notReady)
            completions += 1
        }
        #expect(completions == 4 && user.optimizely == nil)
    }

    @Test func forcedDecisionsSetBeforeTheStartApplyAfterIt() throws {
        let setup = try TestSetup(nil)
        let user = setup.user()
        let flag = OptimizelyDecisionContext(flagKey: "tested")
        _ = user.setForcedDecision(context: flag, decision: OptimizelyForcedDecision(variationKey: "no"))
        try setup.client.start(datafile: ShopDatafile.data)
        #expect(user.decide(key: "tested").variationKey == "no" && user.decide(key: "rolled").variationKey == "served")
    }
}
