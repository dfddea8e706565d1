@Suite(.ownThread) struct UserContextTests {
    private let setup: TestSetup
    private let flag = OptimizelyDecisionContext(flagKey: "tested")
    private let no = OptimizelyForcedDecision(variationKey: "no")

    init() throws { setup = try TestSetup() }

    private func isNull(_ key: String, of user: OptimizelyUserContext) -> Bool {
        user.attributes.contains { $0.key == key && $0.value == nil }
    }

    // MARK: Content

    @Test func anAttributeMayBeNil() {
        let user = setup.user()
        user.setAttribute(key: "a", value: 1)
        user.setAttribute(key: "b", value: nil)
        #expect(user.attributes.count == 2 && user.attributes.keys.contains("b"))
        #expect(isNull("b", of: user))
        user.setAttribute(key: "a", value: nil)
        #expect(user.attributes.count == 2 && isNull("a", of: user))
    }

    @Test func nilValuesSurviveTheCreation() {
        let user = OptimizelyUserContext(optimizely: setup.client, userId: "u", attributes: ["a": nil, "b": 2])
        #expect(user.attributes.count == 2 && isNull("a", of: user))
        let optional: [String: Any?] = ["a": nil, "b": 2]
        #expect(setup.user("u", optional as [String: Any]) == user)
    }

    @Test func dictionariesAreCopied() {
        var attributes: [String: Any] = ["a": 1]
        let user = setup.user("u", attributes)
        attributes["a"] = 2
        #expect(user.attributes["a"] as? Int == 1)
    }

    @Test func theUserIDCanBeChanged() {
        let user = setup.user("skeptic", ["a": 1])
        user.qualifiedSegments = ["s"]
        #expect(user.decide(key: "tested").variationKey == "no")
        user.userId = "ada"
        #expect(user.userId == "ada" && user.decide(key: "tested").variationKey == "yes")
        #expect(user.attributes["a"] as? Int == 1 && user.qualifiedSegments == ["s"])
    }

    @Test func descriptions() {
        #expect(setup.user("ada").description == "{ userId: ada, attributes: [:] }")
        let user = setup.user("ada", ["a": 1])
        #expect(user.description == #"{ userId: ada, attributes: ["a": Optional(1)] }"#)
        user.setAttribute(key: "a", value: nil)
        #expect(user.description == #"{ userId: ada, attributes: ["a": nil] }"#)
    }

    // MARK: Equality

    @Test func equalUsersMayHaveOtherClients() throws {
        #expect(try setup.user("ada", ["a": [1, ["b": 2]]]) == TestSetup().user("ada", ["a": [1, ["b": 2]]]))
        #expect(setup.user() == OptimizelyUserContext(optimizely: setup.client, userId: "ada"))
        #expect(setup.user("ada", [:]) == setup.user("ada", nil))
    }

    @Test func equalityComparesIDsAndAttributes() {
        #expect(setup.user("ada") != setup.user("Ada"))
        #expect(setup.user("ada", ["a": 1]) != setup.user("ada", ["a": 2]))
        #expect(setup.user("ada", ["a": 1]) != setup.user("ada", ["b": 1]))
        #expect(setup.user("ada", ["a": 1]) != setup.user("ada", ["a": 1, "b": 1]))
        #expect(setup.user("ada", ["a": [1, 2]]) != setup.user("ada", ["a": [2, 1]]))
        let null = setup.user("ada", ["a": 1])
        null.setAttribute(key: "a", value: nil)
        #expect(null != setup.user("ada") && null != setup.user("ada", ["a": 1]))
    }

    @Test func aContextWithRemovedForcedDecisionsDiffersFromANewOne() {
        let (one, two) = (setup.user(), setup.user())
        _ = one.setForcedDecision(context: flag, decision: no)
        #expect(one != two)
        _ = one.removeForcedDecision(context: flag)
        #expect(one != two)
        _ = two.setForcedDecision(context: flag, decision: no)
        _ = two.removeAllForcedDecisions()
        #expect(one == two)
    }

    @Test func equalityComparesTheOrderOfSegments() {
        let (one, two) = (setup.user(), setup.user())
        one.qualifiedSegments = ["a", "b"]
        two.qualifiedSegments = ["b", "a"]
        #expect(one != two)
        two.qualifiedSegments = ["a", "b"]
        #expect(one == two)
        (one.qualifiedSegments, two.qualifiedSegments) = (nil, [])
        #expect(one != two)
    }

    // MARK: Values that come back

    @Test func aValueMayReadItsContextWhileItIsConverted() {
        let user = setup.user()
        user.setAttribute(key: "a", value: Describing { user.attributes.description })
        #expect(user.attributes.count == 1)
    }

    @Test func aValueMayReadItsContextWhileItIsReleased() {
        let user = setup.user()
        let seen = Counter()
        user.setAttribute(key: "a", value: DeinitObserver { seen.add(user.attributes.count) })
        user.setAttribute(key: "a", value: 1)
        #expect(seen.value == 1)
    }

    // MARK: Threads

    @Test func fiftyThreadsChangeOneContext() throws {
        let user = setup.user()
        DispatchQueue.concurrentPerform(iterations: 50) { thread in
            for step in 0..<20 {
                user.setAttribute(key: "a\(thread)", value: step)
                user.qualifiedSegments = ["\(step)"]
                user.userId = "user \(step)"
                let rule = OptimizelyDecisionContext(flagKey: "tested", ruleKey: "\(thread)")
                _ = user.setForcedDecision(context: rule, decision: no)
                let decision = user.decide(key: "tested")
                #expect(decision.enabled && decision.userContext.attributes["a\(thread)"] as? Int == step)
                if step % 2 == 1 { _ = user.removeForcedDecision(context: rule) }
                try? user.trackEvent(eventKey: "purchase")
                _ = user == user.clone
            }
        }
        #expect(user.attributes.count == 50 && user.attributes.values.allSatisfy { $0 as? Int == 19 })
        #expect(user.getForcedDecision(context: OptimizelyDecisionContext(flagKey: "tested", ruleKey: "3")) == nil)
        setup.settle()
        #expect(setup.dispatcher.events.count == 2_000)
    }
}

/// A value whose description is a closure of the test.
private struct Describing: CustomStringConvertible {
    let text: () -> String
    var description: String { text() }
}

/// A value that reports its deallocation.
private final class DeinitObserver {
    let tell: () -> Void
    init(_ tell: @escaping () -> Void) { self.tell = tell }
    deinit { tell() }
}
