#if SQLite
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// The journal's state as tables of steps and actions.
    @Suite struct JournalStateTests {
        private static let waiting = SQLiteOptions.durable

        // MARK: Adding

        @Test func aFlushIsScheduledOnce() {
            var table = JournalTable()
            table.expect(.append(1...1), "accepted, flush")
            table.expect(.append(2...3), "accepted")
            table.expect(.flushBegan, "look at []")
            table.expect(.append(4...4), "accepted, flush")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3 4 of #0")
            table.expect(.succeeded(), "wake #0")
            table.expect(.flushBegan, "look at []")
            table.expect(.commit, "nothing")
            table.expect(.state, "4 events, waiting: none, lost: none")
        }

        @Test func aLargeBacklogIsWrittenAtOnce() {
            var table = JournalTable()
            table.expect(.append(1...1), "accepted, flush")
            table.expect(.append(2...2, bytes: 7_000_000), "accepted")
            table.expect(.append(3...3, bytes: 2_000_000), "accepted, flush")
            table.expect(.append(4...4), "accepted")
        }

        @Test func aFullQueueRefuses() {
            var table = JournalTable { $0.maximumEvents = 3 }
            table.expect(.append(1...5), "accepted, flush, up to 3")
            table.expect(.append(4...5), "refused")
            table.expect(.flushBegan, "look at [0]")
            table.expect(.append(4...4), "refused, flush")
            // Another process has removed two events.
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3 of #0")
            table.expect(.append(4...4), "refused")
            table.expect(.succeeded(), "wake #0")
            table.expect(.counted(1), "")
            table.expect(.append(4...5), "accepted")
            table.expect(.append(6...6), "refused")
            table.expect(.state, "3 events, waiting: 4 5, lost: none")
        }

        @Test func aCallerThatWaitsLooksAgainBeforeItIsRefused() {
            var table = JournalTable(Self.waiting) { $0.maximumBytes = 250 }
            table.expect(.append(1...1, bytes: 251), "refused")
            table.expect(.append(1...3), "lead #0 from 0, up to 2")
            table.expect(.append(3...3), "look again")
            table.expect(.append(3...3, totalsAreFresh: true), "refused")
            table.expect(.task(3...3), "blocking")
        }

        @Test func theOldestEventsMakeRoom() {
            var table = JournalTable { ($0.maximumEvents, $0.overflow) = (3, .dropOldest) }
            table.expect(.append(1...5), "accepted, flush")
            table.expect(.state, "3 events, waiting: 3 4 5, lost: 2 no room")
            table.expect(.commit, "write")
            table.expect(.take, "3 4 5 of #0")
            table.expect(.append(6...9), "accepted")
            table.expect(.state, "6 events, waiting: 7 8 9, lost: 3 no room")
            table.expect(.failed, "wake #0, news")
            table.expect(.state, "3 events, waiting: 7 8 9, lost: 6 no room")
        }

        @Test func anEventWhoseCallerWaitsIsNotDropped() {
            var table = JournalTable(Self.waiting) { ($0.maximumEvents, $0.overflow) = (2, .dropOldest) }
            table.expect(.append(1...3), "lead #0 from 0, up to 2")
            table.expect(.append(3...3), "make room")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 of #0")
            table.expect(.failed, "wake #0, news")
            // The callers of these know already that they are not in the file.
            table.expect(.append(3...3), "wait in #1 from 0 as next leader")
            table.expect(.state, "2 events, waiting: 2 3, lost: 1 no room")
        }

        @Test(arguments: [EventOverflow.refuseNewest, .dropOldest]) func memoryIsLimited(_ overflow: EventOverflow) {
            // An event of 100 bytes takes 300.
            var table = JournalTable { ($0.maximumBufferedBytes, $0.overflow) = (1_000, overflow) }
            table.expect(.append(1...1, bytes: 801), "refused")
            table.expect(.append(1...3), "accepted, flush")
            guard overflow == .refuseNewest else {
                table.expect(.append(4...5), "accepted")
                table.expect(.take, "3 4 5 of #0")
                // Events in flight cannot be dropped.
                table.expect(.append(6...6), "refused")
                return table.expect(.state, "3 events, waiting: none, lost: 2 no room")
            }
            table.expect(.append(4...4), "refused")
            table.expect(.take, "1 2 3 of #0")
            table.expect(.append(4...4), "refused")
            table.expect(.succeeded(), "wake #0")
            table.expect(.append(4...4), "accepted")
        }

        @Test func aCallerThatWaitsMakesRoomInMemory() {
            var table = JournalTable(Self.waiting) { $0.maximumBufferedBytes = 1_000 }
            table.expect(.task(1...5), "suspend in #0 from 0, flush, up to 3")
            table.expect(.append(4...4), "make room")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3 of #0")
            table.expect(.succeeded(), "wake #0")
            table.expect(.append(4...4), "lead #1 from 0")
        }

        // MARK: Groups

        @Test func callersLeadInTurns() {
            var table = JournalTable(Self.waiting)
            table.expect(.append(1...1), "lead #0 from 0")
            table.expect(.append(2...3), "wait in #0 from 1 as next leader")
            table.expect(.save("ada"), "wait in #0 from 3")
            table.expect(.task(4...4), "suspend in #0 from 3, flush")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3 4 of #0, next leader waits")
            table.expect(.append(5...5), "wait in #1 from 0 as next leader")
            table.expect(.append(6...6), "wait in #1 from 1")
            table.expect(.succeeded(), "wake #0")
            table.expect(.leadEnded(4), "promote #1")
            #expect(table.state.missingCount == 4, "the threads of #0 will add their next events")
            table.expect(.append(7...7), "wait in #1 from 2")
            table.expect(.commit, "write")
            table.expect(.take, "5 6 7 of #1, next leader promoted")
            table.expect(.succeeded(), "wake #1")
            table.expect(.leadEnded(3), "no leader")
            table.expect(.append(8...8), "lead #2 from 0")
        }

        @Test func anotherThreadMayCommitForALeader() {
            var table = JournalTable(Self.waiting)
            table.expect(.append(1...1), "lead #0 from 0")
            table.expect(.append(2...2), "wait in #0 from 1 as next leader")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 of #0, next leader waits")
            table.expect(.succeeded(), "wake #0")
            table.expect(.save("ada"), "wait in #1 from 0 as next leader")
            // The leader of #0 finds #1.
            table.expect(.commit, "write")
            table.expect(.take, "none of #1, next leader waits")
            table.expect(.succeeded(), "wake #1")
            table.expect(.leadEnded(0), "no leader")
            table.expect(.commit, "nothing")
        }

        @Test func aPromotedLeaderResumesAfterItsEventWasDropped() {
            var table = JournalTable(Self.waiting)
            table.expect(.append(1...1), "lead #0 from 0")
            table.expect(.commit, "write")
            table.expect(.take, "1 of #0")
            table.expect(.append(2...2), "wait in #1 from 0 as next leader")
            table.expect(.succeeded(), "wake #0")
            table.expect(.leadEnded(1), "promote #1")
            // Delivered from memory.
            table.expect(.read, "2")
            table.expect(.remove([2]), "0 in the file")
            table.expect(.commit, "write")
            table.expect(.take, "none of #1, next leader promoted")
            table.expect(.succeeded(), "wake #1")
            table.expect(.leadEnded(0), "no leader")
        }

        // MARK: Failures

        @Test func whatCouldNotBeWrittenWaitsAgain() {
            var table = JournalTable()
            table.expect(.append(1...2), "accepted, flush")
            table.expect(.flushBegan, "look at []")
            table.expect(.commit, "write")
            table.expect(.take, "1 2 of #0")
            table.expect(.append(3...3), "accepted, flush")
            table.expect(.failed, "wake #0, news")
            table.expect(.state, "3 events, waiting: 1 2 3, lost: none")
            table.expect(.flushFailed, "again after 50 ms")
            table.expect(.commit, "back off")
            table.expect(.append(4...4), "accepted")
            table.now += .milliseconds(50)
            table.expect(.commit, "write")
            // Without the file's lock nothing is taken.
            table.expect(.failed, "wake none")
            table.expect(.flushFailed, "again after 100 ms")
            table.expect(.commitAnyway, "write")
            table.expect(.take, "1 2 3 4 of #1")
            table.expect(.succeeded(), "wake #1, news")
            table.expect(.flushFailed, "nothing left")
            table.expect(.commit, "nothing")
            table.expect(.state, "4 events, waiting: none, lost: none")
        }

        @Test func callersFailImmediatelyDuringBackoff() {
            var table = JournalTable(Self.waiting)
            table.expect(.append(1...1), "lead #0 from 0")
            table.expect(.commit, "write")
            table.expect(.failed, "wake #0, news")
            table.expect(.leadEnded(0), "no leader")
            table.expect(.task(2...2), "suspend in #1 from 0, flush")
            table.expect(.flushBegan, "look at []")
            table.expect(.commit, "back off, wake #1")
            table.expect(.flushFailed, "again after 50 ms")
            table.expect(.task(3...3), "suspend in #2 from 0, flush")
            table.now += .milliseconds(50)
            table.expect(.commit, "write")
            table.expect(.take, "1 2 3 of #2")
            table.expect(.succeeded(), "wake #2, news")
        }

        @Test func pausesDoubleUpToFiveSecondsUntilASuccess() {
            var table = JournalTable()
            table.expect(.append(1...1), "accepted, flush")
            table.expect(.failed, "wake none, news")
            for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
                table.expect(.flushFailed, "again after \(pause) ms")
                table.expect(.failed, "wake none")
            }
            table.expect(.take, "1 of #0")
            table.expect(.succeeded(), "wake #0, news")
            table.expect(.append(2...2), "accepted")
            table.expect(.failed, "wake none, news")
            table.expect(.flushFailed, "again after 50 ms")
        }

        // MARK: Removing

        @Test func eventsAreRemovedWhereverTheyAre() {
            var table = JournalTable()
            table.expect(.append(1...4), "accepted, flush")
            table.expect(.read, "1 2 3 4")
            table.expect(.remove([3]), "0 in the file")
            table.expect(.take, "1 2 4 of #0")
            table.expect(.append(5...5), "accepted")
            // Delivered with temporary ids, and written before they are removed.
            table.expect(.succeeded(), "wake #0")
            table.expect(.remove([1, 2]), "2 in the file")
            table.expect(.remove([1, 2]), "0 in the file")
            table.expect(.read, "5")
            table.expect(.remove([4, 5]), "1 in the file")
            table.expect(.state, "3 events, waiting: none, lost: none")
        }

        @Test func aRemovalThatFailsIsRepeated() {
            var table = JournalTable()
            table.expect(.counted(5), "")
            table.expect(.removalFailed([1, 2]), "flush")
            table.expect(.state, "3 events, waiting: none, lost: none")
            table.expect(.flushBegan, "look at []")
            table.expect(.commit, "write")
            table.expect(.take, "none of #0, removals [1, 2]")
            table.expect(.failed, "wake #0, news")
            table.expect(.commitAnyway, "write")
            table.expect(.take, "none of #1, removals [1, 2]")
            table.expect(.counted(3), "")
            table.expect(.succeeded(), "wake #1, news")
            table.expect(.state, "3 events, waiting: none, lost: none")
            table.expect(.commit, "nothing")
        }

        @Test func eventsWhoseRemovalFailedLeaveRoom() {
            var table = JournalTable { $0.maximumEvents = 5 }
            table.expect(.counted(5), "")
            table.expect(.append(1...1), "refused, flush")
            table.expect(.removalFailed([1, 2]), "")
            table.expect(.append(1...3), "accepted, up to 2")
            table.expect(.state, "5 events, waiting: 1 2, lost: none")
        }

        @Test func aTransactionTellsWhatItDropped() {
            var table = JournalTable { ($0.maximumEvents, $0.overflow) = (3, .dropOldest) }
            table.expect(.counted(3), "")
            table.expect(.append(1...2), "accepted, flush")
            table.expect(.state, "5 events, waiting: 1 2, lost: none")
            table.expect(.take, "1 2 of #0")
            table.expect(.succeeded(dropped: 2), "wake #0")
            table.expect(.state, "3 events, waiting: none, lost: 2 no room")
        }

        // MARK: Assignments and forks

        @Test func assignmentsTakeAQuarterOfTheMemory() {
            var table = JournalTable { $0.maximumBufferedBytes = 1_400 }
            // A change of one assignment takes about 320 bytes.
            table.expect(.save("ada"), "accepted, flush")
            table.expect(.save("ben"), "refused")
            table.expect(.take, "none of #0")
            table.expect(.save("ben"), "refused")
            table.expect(.succeeded(), "wake #0")
            table.expect(.save("ben"), "accepted")
            table.expect(.forget("ben"), "")
            table.expect(.commit, "nothing")
            table.expect(.save("ada"), "accepted")
            table = JournalTable(Self.waiting) { $0.maximumBufferedBytes = 1_400 }
            table.expect(.save("ada"), "lead #0 from 0")
            table.expect(.save("ben"), "make room")
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
                table.expect(.append(4...4), isWaiting ? "lead #0 from 0" : "accepted, flush")
            }
        }
    }
#endif
