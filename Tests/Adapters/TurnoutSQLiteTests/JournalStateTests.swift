/// The journal's state as tables of steps and actions.
@Suite struct JournalStateTests {
    private static let waiting = SQLiteOptions.durable

    // MARK: Adding

    @Test func aLargeBacklogIsWrittenAtOnce() {
        var table = JournalTable()
        table.expect(.append(1...1), "start after 10 ms")
        table.expect(.append(2...2, bytes: 7_000_000), "nothing")
        table.expect(.append(3...3, bytes: 2_000_000), "hasten")
        table.expect(.append(4...4), "nothing")
    }

    @Test func aCallerThatWaitsLooksItself() {
        var table = JournalTable(Self.waiting) { $0.maximumBytes = 250 }
        table.expect(.append(1...1, bytes: 251), "nothing, 0 of 1: size")
        table.expect(.append(1...3), "write #0, 2 of 3: queue")
        table.expect(.append(3...3), "nothing, 0 of 1: queue")
        table.expect(.passBegan, "look at []")
    }

    // MARK: Callers that wait

    @Test func aCallerWritesForTheOthersOnce() {
        var table = JournalTable(Self.waiting)
        table.expect(.append(1...1), "write #0")
        table.expect(.append(2...3), "nothing #0")
        table.expect(.save("ada"), "nothing #0")
        table.expect(.task(4...4), "nothing #0")
        table.expect(.commit, "write")
        table.expect(.take, "1 2 3 4 #0")
        table.expect(.append(5...5), "nothing #1")
        table.expect(.succeeded(), "")
        table.expect(.passEnded, "again after 0 ms")
        table.expect(.commit, "write")
        table.expect(.take, "5 #1")
        table.expect(.succeeded(), "")
        table.expect(.passEnded, "idle")
        table.expect(.task(6...6), "start after 0 ms #2")
    }

    @Test func anotherThreadMayCommitForAWriter() {
        var table = JournalTable(Self.waiting)
        table.expect(.append(1...1), "write #0")
        table.expect(.commit, "write")
        table.expect(.take, "1 #0")
        table.expect(.succeeded(), "")
        table.expect(.commit, "nothing")
        table.expect(.save("ada"), "nothing #1")
        table.expect(.passEnded, "again after 0 ms")
    }

    @Test func aCallerIsToldAfterItsEventWasDelivered() {
        var table = JournalTable(Self.waiting)
        table.expect(.append(1...1), "write #0")
        table.expect(.read, "1")
        table.expect(.remove([1]), "")
        table.expect(.commit, "write")
        table.expect(.take, "none #0")
        table.expect(.succeeded(), "")
        table.expect(.passEnded, "idle")
    }

    @Test func aThreadThatCannotBeStartedIsReplacedByACallerThatWaits() {
        var table = JournalTable()
        table.expect(.append(1...1), "start after 10 ms")
        table.expect(.startFailed, "idle")
        table.expect(.append(2...2), "start after 10 ms")
        table = JournalTable(Self.waiting)
        table.expect(.task(1...1), "start after 0 ms #0")
        table.expect(.startFailed, "commit")
        table.expect(.commit, "write")
        table.expect(.take, "1 #0")
        table.expect(.succeeded(), "")
        table.expect(.startFailed, "idle")
    }

    // MARK: Failures

    @Test func aFailureAfterTheLastPassStartsAnotherOne() {
        var table = JournalTable()
        table.expect(.append(1...1), "start after 10 ms")
        table.expect(.commit, "write")
        table.expect(.take, "1")
        table.expect(.passEnded, "idle")
        table.expect(.failed, "start after 10 ms, news")
    }

    // MARK: Removing

    @Test func eventsAreRemovedWhereverTheyAre() {
        var table = JournalTable()
        table.expect(.append(1...4), "start after 10 ms")
        table.expect(.read, "1 2 3 4")
        table.expect(.remove([3]), "")
        table.expect(.take, "1 2 4")
        table.expect(.append(5...5), "nothing")
        // Delivered with temporary ids, and written before they are removed.
        table.expect(.succeeded(), "")
        table.expect(.remove([1, 2]), "from the file, too")
        table.expect(.remove([1, 2]), "")
        table.expect(.read, "5")
        table.expect(.takeRemovals, "none, removals [100, 101]")
        table.expect(.counted(1), "")
        table.expect(.succeeded(), "")
        table.expect(.remove([4, 5]), "from the file, too")
        table.expect(.state, "0 events, waiting: none, lost: none")
    }

    @Test func aRemovalThatFailsIsRepeated() {
        var table = JournalTable()
        table.expect(.counted(5), "")
        table.expect(.removeStored([1, 2]), "from the file, too")
        table.expect(.state, "3 events, waiting: none, lost: none")
        table.expect(.commit, "write")
        table.expect(.takeRemovals, "none, removals [1, 2]")
        table.expect(.failed, "start after 10 ms, news")
        table.expect(.commitAnyway, "write")
        table.expect(.take, "none, removals [1, 2]")
        table.expect(.counted(3), "")
        table.expect(.succeeded(), "news")
        table.expect(.state, "3 events, waiting: none, lost: none")
        table.expect(.commit, "nothing")
    }

    @Test func eventsWhoseRemovalFailedLeaveRoom() {
        var table = JournalTable { $0.maximumEvents = 5 }
        table.expect(.counted(5), "")
        table.expect(.append(1...1), "start after 10 ms, 0 of 1: queue")
        table.expect(.removeStored([1, 2]), "from the file, too")
        table.expect(.append(1...3), "nothing, 2 of 3: queue")
        table.expect(.state, "5 events, waiting: 1 2, lost: none")
    }

    @Test func aTransactionTellsWhatItDropped() {
        var table = JournalTable { ($0.maximumEvents, $0.overflow) = (3, .dropOldest) }
        table.expect(.counted(3), "")
        table.expect(.append(1...2), "start after 10 ms")
        table.expect(.state, "5 events, waiting: 1 2, lost: none")
        table.expect(.take, "1 2")
        table.expect(.succeeded(dropped: 2), "")
        table.expect(.state, "3 events, waiting: none, lost: 2 no room")
    }

    // MARK: Assignments and forks

    @Test func assignmentsTakeAQuarterOfTheMemory() {
        var table = JournalTable { $0.maximumBufferedBytes = 1_400 }
        // A change of one assignment takes about 320 bytes.
        table.expect(.save("ada"), "start after 10 ms")
        table.expect(.save("ben"), "no room")
        table.expect(.take, "none")
        table.expect(.save("ben"), "no room")
        table.expect(.succeeded(), "")
        table.expect(.save("ben"), "nothing")
        table.expect(.forget("ben"), "")
        table.expect(.commit, "nothing")
        table.expect(.save("ada"), "nothing")
    }
}
