@Suite struct SharedValueTests {
    private let shared = SharedValue<Int>()
    private let outcomes = Collected<SharedValue<Int>.Outcome>()
    /// What ends each attempt.
    private let attempts = Collected<SharedValue<Int>.Receiver>()
    private let failure = SharedValue<Int>.Outcome.failure(
        ProfileServerError(
            store: "Cassandra", .unreachable, "down", server: nil, breaksConnection: false, indicatesOutage: true))

    private func get() {
        shared.get {
            outcomes.add($0)
        } create: {
            attempts.add($0)
        }
    }

    @Test func concurrentCallersShareOneAttempt() async {
        await concurrently(0..<50) { _ in get() }
        #expect(attempts.count == 1 && outcomes.count == 0)
        attempts.all[0](.success(7))
        attempts.all[0](failure)
        get()
        #expect(attempts.count == 1 && outcomes.all == Array(repeating: .success(7), count: 51))
    }

    @Test func aFailedAttemptIsForgotten() {
        get()
        attempts.all[0](failure)
        get()
        attempts.all[1](.success(7))
        #expect(outcomes.all == [failure, .success(7)])
    }

    @Test func tooManyCallersAreRefusedAtOnce() {
        for _ in 0..<1_001 { get() }
        #expect(attempts.count == 1 && outcomes.count == 1)
        #expect(throws: ProfileServerError.self) { try outcomes.all[0].get() }
        attempts.all[0](.success(7))
        #expect(outcomes.count == 1_001)
    }
}
