import TestSupport

@testable import TurnoutServer

/// The list of changes, in which a change stands before it is made.
@Suite struct ChangeLogTests {
    @Test func aFailureTakesThePlaceOfItsAttempt() throws {
        let directory = TemporaryDirectory()
        let log = ChangeLog(in: directory.path, isTemporary: false)
        var records = (0..<3).map { number in
            ChangeRecord(
                time: Int64(number), user: "ada", address: "", environments: [], meaning: "", message: "\(number)")
        }
        for record in records { try log.append(record) }
        records[1].failure = "The disk is full."
        try log.append(records[1])
        #expect(try log.records() == records.reversed())
        #expect(try ChangeLog(in: directory.path, isTemporary: false).records() == records.reversed())
    }
}
