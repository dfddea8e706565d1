@Suite struct PendingAssignmentsTests {
    private let ended = Collected<Int>()
    private var pending = PendingAssignments(
        backoff: Backoff(first: .seconds(1), longest: .seconds(30), random: MidpointRandomSource()))

    /// Writes the next user's assignments, and returns both.
    private mutating func writeNext() -> String? {
        guard let (user, assignments) = pending.next(1).first else { return nil }
        for end in pending.written(assignments, for: user) { end() }
        let texts = assignments.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return "\(user.text) \(texts.joined(separator: " "))"
    }

    @Test mutating func changesDuringAWriteAreWrittenAgain() throws {
        _ = pending.add(["1": "a", "2": "b"], for: "ada", limit: 10)
        let next = pending.next(1).first
        let (user, assignments) = try #require(next)
        _ = pending.add(["2": "c"], for: "ada", limit: 10)
        let number = pending.flush { [ended] in ended.add(1) }
        #expect(number != nil)
        for end in pending.written(assignments, for: user) { end() }
        #expect(ended.count == 0)
        #expect(pending.count == 1)
        let written = writeNext()
        #expect(written == "ada 2=c")
        #expect(ended.count == 1)
    }

    @Test mutating func afterAFailureAnotherUserIsWrittenFirst() throws {
        _ = pending.add(["1": "a"], for: "ada", limit: 10)
        _ = pending.add(["1": "b"], for: "bob", limit: 10)
        let next = pending.next(1).first
        let user = try #require(next).user
        let pause = pending.failed(for: [user]).pause
        #expect(pause == .seconds(1))
        let written = [writeNext(), writeNext()]
        #expect(written == ["bob 1=b", "ada 1=a"])
    }
}
