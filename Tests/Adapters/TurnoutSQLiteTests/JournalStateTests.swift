#if SQLite
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// The journal's state as tables of steps and actions.
    @Suite struct JournalStateTests {
        private static let waiting = SQLiteOptions.durable

        // MARK: Adding

        @Test func aPassFollowsWhileThereIsWork() {
            var table = JournalTable()
            table.expect(.append(1...1), "start after 10 ms")
            table.expect(.append(2...3), "nothing")
            table.expect(.passBegan, "look at []")
            table.expect(.append(4...4), "nothing")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3 4")
            table.expect(.append(5...5), "nothing")
            table.expect(.succeeded(), "")
            table.expect(.passEnded, "again after 10 ms")
            table.expect(.commit, "write")
            table.expect(.take, "5")
            table.expect(.succeeded(), "")
            table.expect(.passEnded, "idle")
            table.expect(.commit, "nothing")
            table.expect(.append(6...6), "start after 10 ms")
            table.expect(.state, "6 events, waiting: 6, lost: none")
        }

        @Test func aLargeBacklogIsWrittenAtOnce() {
            var table = JournalTable()
            table.expect(.append(1...1), "start after 10 ms")
            table.expect(.append(2...2, bytes: 7_000_000), "nothing")
            table.expect(.append(3...3, bytes: 2_000_000), "hasten")
            table.expect(.append(4...4), "nothing")
        }

        @Test func aFullQueueRefuses() {
            var table = JournalTable { $0.maximumEvents = 3 }
            table.expect(.append(1...5), "start after 10 ms, 3 of 5: queue")
            table.expect(.append(4...5), "nothing, 0 of 2: queue")
            table.expect(.passBegan, "look at [0]")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3")
            table.expect(.append(4...4), "nothing, 0 of 1: queue")
            table.expect(.succeeded(), "")
            table.expect(.passEnded, "again after 10 ms")
            // Another process has removed two events.
            table.expect(.counted(1), "")
            table.expect(.append(4...5), "nothing")
            table.expect(.append(6...6), "nothing, 0 of 1: queue")
            table.expect(.state, "3 events, waiting: 4 5, lost: none")
        }

        @Test func aCallerThatWaitsLooksItself() {
            var table = JournalTable(Self.waiting) { $0.maximumBytes = 250 }
            table.expect(.append(1...1, bytes: 251), "nothing, 0 of 1: size")
            table.expect(.append(1...3), "write #0, 2 of 3: queue")
            table.expect(.append(3...3), "nothing, 0 of 1: queue")
            table.expect(.passBegan, "look at []")
        }

        @Test func theOldestEventsMakeRoom() {
            var table = JournalTable { ($0.maximumEvents, $0.overflow) = (3, .dropOldest) }
            table.expect(.append(1...5), "start after 10 ms")
            table.expect(.state, "3 events, waiting: 3 4 5, lost: 2 no room")
            table.expect(.commit, "write")
            table.expect(.take, "3 4 5")
            table.expect(.append(6...9), "nothing")
            table.expect(.state, "6 events, waiting: 7 8 9, lost: 3 no room")
            table.expect(.failed, "nothing, news")
            table.expect(.state, "3 events, waiting: 7 8 9, lost: 6 no room")
        }

        @Test(arguments: [EventOverflow.refuseNewest, .dropOldest]) func memoryIsLimited(_ overflow: EventOverflow) {
            // An event of 100 bytes takes 300.
            var table = JournalTable { ($0.maximumBufferedBytes, $0.overflow) = (1_000, overflow) }
            table.expect(.append(1...1, bytes: 801), "nothing, 0 of 1: size")
            table.expect(.append(1...3), "start after 10 ms")
            guard overflow == .refuseNewest else {
                table.expect(.append(4...5), "nothing")
                table.expect(.take, "3 4 5")
                // Events in flight cannot be dropped.
                table.expect(.append(6...6), "nothing, 0 of 1: memory")
                return table.expect(.state, "3 events, waiting: none, lost: 2 no room")
            }
            table.expect(.append(4...4), "nothing, 0 of 1: memory")
            table.expect(.take, "1 2 3")
            table.expect(.append(4...4), "nothing, 0 of 1: memory")
            table.expect(.succeeded(), "")
            table.expect(.append(4...4), "nothing")
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

        @Test func whatCouldNotBeWrittenWaitsAgain() {
            var table = JournalTable()
            table.expect(.append(1...2), "start after 10 ms")
            table.expect(.commit, "write")
            table.expect(.take, "1 2")
            table.expect(.append(3...3), "nothing")
            table.expect(.failed, "nothing, news")
            table.expect(.state, "3 events, waiting: 1 2 3, lost: none")
            table.expect(.passEnded, "again after 50 ms")
            table.expect(.commit, "not now")
            table.expect(.append(4...4), "nothing")
            table.now += .milliseconds(50)
            table.expect(.commit, "write")
            // Without the file's lock nothing is taken.
            table.expect(.failed, "nothing")
            table.expect(.passEnded, "again after 100 ms")
            table.expect(.commitAnyway, "write")
            table.expect(.take, "1 2 3 4")
            table.expect(.succeeded(), "news")
            table.expect(.passEnded, "idle")
            table.expect(.state, "4 events, waiting: none, lost: none")
        }

        @Test func aFailureAfterTheLastPassStartsAnotherOne() {
            var table = JournalTable()
            table.expect(.append(1...1), "start after 10 ms")
            table.expect(.commit, "write")
            table.expect(.take, "1")
            table.expect(.passEnded, "idle")
            table.expect(.failed, "start after 10 ms, news")
        }

        @Test func callersFailImmediatelyDuringBackoff() {
            var table = JournalTable(Self.waiting)
            table.expect(.append(1...1), "write #0")
            table.expect(.commit, "write")
            table.expect(.take, "1 #0")
            table.expect(.append(2...2), "nothing #1")
            table.expect(.failed, "nothing #0, news")
            table.expect(.passEnded, "again after 0 ms")
            table.expect(.commit, "not now #1")
            table.expect(.passEnded, "again after 50 ms")
            table.expect(.task(3...3), "hasten #2")
            table.now += .milliseconds(50)
            table.expect(.commit, "write")
            table.expect(.failed, "nothing #2")
            table.expect(.append(4...4), "hasten #3")
            table.expect(.commitAnyway, "write")
            table.expect(.take, "1 2 3 4 #3")
            table.expect(.succeeded(), "news")
            table.expect(.passEnded, "idle")
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

        @Test func aForkedChildStartsEmpty() {
            for options in [SQLiteOptions(), Self.waiting] {
                var table = JournalTable(options)
                table.step(.append(1...2))
                table.step(.save("ada"))
                table.step(.commit)
                table.step(.take)
                table.step(.append(3...3))
                table.expect(.fork, "")
                table.expect(.commit, "nothing")
                table.expect(.state, "0 events, waiting: none, lost: none")
                let isWaiting = options.durability == .beforeReturning
                table.expect(.append(4...4), isWaiting ? "write #2" : "start after 10 ms")
            }
        }
    }
#endif
