import TestSupport
import Testing
import TurnoutClient

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

    @Test mutating func assignmentsAreMergedByUserAndWrittenInOrder() {
        let areTaken = [
            pending.add(["1": "a"], for: "ada", limit: 3), pending.add(["1": "b"], for: "bob", limit: 3),
            pending.add(["1": "c", "2": "d"], for: "ada", limit: 3), pending.add(["2": "e"], for: "bob", limit: 3),
        ]
        #expect(areTaken == [true, true, true, false])
        #expect(pending.count == 3)
        #expect(pending["ada"] == ["1": "c", "2": "d"])
        let written = (0..<3).map { _ in writeNext() }
        #expect(written == ["ada 1=c 2=d", "bob 1=b", nil])
        #expect(pending.count == 0)
    }

    @Test mutating func onlyOneWriterRuns() {
        var starts = [pending.beginWriting(), pending.beginWriting()]
        // Nothing is queued, which ends the writer.
        _ = pending.next(1).first
        starts += [pending.beginWriting(), pending.beginWriting()]
        pending.endWriting()
        starts.append(pending.beginWriting())
        #expect(starts == [true, false, true, false, true])
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

    @Test mutating func removedAssignmentsAreNotWritten() throws {
        _ = pending.add(["1": "a", "2": "b"], for: "ada", limit: 10)
        _ = pending.add(["1": "c"], for: "bob", limit: 10)
        let number = pending.flush { [ended] in ended.add(1) }
        #expect(number != nil)
        for user in ["ada", "eve"] {
            let (ends, isWriting) = pending.remove(user) {}
            #expect(!isWriting)
            for end in ends { end() }
        }
        #expect(pending.count == 1 && pending["ada"] == nil && ended.count == 0)
        // Another assignment of the user is a new one.
        _ = pending.add(["3": "d"], for: "ada", limit: 10)
        let written = (0..<3).map { _ in writeNext() }
        #expect(written == ["bob 1=c", "ada 3=d", nil])
        #expect(ended.count == 1 && pending.count == 0)
    }

    @Test(arguments: [true, false]) mutating func theEndOfAWriteOfARemovedUserIsReported(fails: Bool) throws {
        _ = pending.add(["1": "a"], for: "ada", limit: 10)
        let next = pending.next(1).first
        let (user, assignments) = try #require(next)
        let (ends, isWriting) = pending.remove("ada") { [ended] in ended.add(2) }
        #expect(ends.isEmpty && isWriting && pending.count == 0)
        for end in fails ? pending.failed(for: [user]).ends : pending.written(assignments, for: user) { end() }
        #expect(ended.all == [2])
        let written = writeNext()
        #expect(written == nil, "what was removed is not written again")
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

    @Test mutating func threeFailuresInARowEndFlushes() throws {
        let number = pending.flush {}
        #expect(number == nil, "nothing is queued")
        _ = pending.add(["1": "a"], for: "ada", limit: 10)
        _ = pending.flush { [ended] in ended.add(1) }
        #expect(pending.flushCount == 1)
        var pauses: [Duration] = []
        for _ in 0..<3 {
            let next = pending.next(1).first
            let user = try #require(next).user
            let (pause, ends) = pending.failed(for: [user])
            for end in ends { end() }
            pauses.append(pause)
        }
        #expect(pauses == [.seconds(1), .seconds(2), .seconds(4)])
        #expect(ended.count == 1)
        #expect(pending.flushCount == 0)
        #expect(pending.count == 1)
    }

    @Test mutating func aFlushCanBeAbandoned() throws {
        _ = pending.add(["1": "a"], for: "ada", limit: 10)
        let number = pending.flush { [ended] in ended.add(1) }
        for _ in 0..<2 { pending.leaveFlush(try #require(number))?() }
        #expect(ended.count == 1)
        let written = writeNext()
        #expect(written == "ada 1=a")
    }
}
