/// The code of "Explaining and overriding" works as described.
@Suite struct WhyTests {
    @Test func reasonsComeWithADecision() throws {
        let client = try FlagClient(datafile: shop)
        let olga = client.user("olga", attributes: ["country": "US", "orders": 5])

        let decision = olga.decide("checkout_redesign", options: .includeReasons)
        for reason in decision.reasons { print(reason) }

        #expect(decision.stage == .bucketed)
        #expect(decision.reasons.map(\.description).joined(separator: "\n") == reasons)
    }

    @Test func aReasonIsAValue() throws {
        let client = try FlagClient(datafile: shop)
        let tim = client.user("tim")

        let decision = tim.decide("checkout_redesign", options: .includeReasons)
        if decision.reasons.contains(.notInExperimentAudience(experiment: "checkout_test", user: "tim")) {
            print("tim is not in North America, or a new customer")
        }

        #expect(decision.reasons.contains(.notInExperimentAudience(experiment: "checkout_test", user: "tim")))
    }

    @Test func aTraceContainsEveryStep() throws {
        let client = try FlagClient(datafile: shop)
        let olga = client.user("olga", attributes: ["country": "US", "orders": 5])

        if let trace = olga.explain("checkout_redesign") { print(trace) }

        #expect(olga.explain("checkout_redesign")?.description == trace)
    }

    private let reasons = """
        User (olga) meets conditions for holdout(global_holdout).
        User (olga) is in no holdout variation.
        User (olga) is in variation (two_step) of experiment (checkout_test)
        """

    private let trace = """
        checkout_redesign for "olga": two_step, on, by experiment checkout_test
        ├─ holdout global_holdout
        │  ├─ audience: yes
        │  └─ bucket: 2919 = hash of "olga" + salt 7001 → outside all traffic
        ├─ experiment checkout_test
        │  ├─ audience: yes
        │  │  └─ all of: yes
        │  │     ├─ audience North America (2001): yes
        │  │     │  └─ any of: yes
        │  │     │     ├─ country exact "US", user has "US": yes
        │  │     │     └─ country exact "CA", user has "US": not looked at
        │  │     └─ not: yes
        │  │        └─ audience New customers (2004): no
        │  │           └─ all of: no
        │  │              └─ orders le 1, user has 5: no
        │  └─ bucket: 5025 = hash of "olga" + salt 4101, in 4000–6999 → two_step
        ├─ store assignment: experiment 4101 → variation 41012
        └─ send: impression, feature-test, campaign 4100, experiment 4101, variation 41012
        """
}
