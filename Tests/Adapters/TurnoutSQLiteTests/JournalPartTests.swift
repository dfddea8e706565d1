#if SQLite
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// Waiting events, apart from the rest of the journal's state.
    @Suite struct PendingEventsTests {
        private func numbers(_ events: BufferedEvents) -> [Int64] { events.compactMap(\.event.timestamp) }

        private func filled(_ count: Int, _ change: (inout SQLiteOptions) -> Void = { _ in }) -> PendingEvents {
            var options = SQLiteOptions()
            change(&options)
            var events = PendingEvents(options: options, queues: ["events"])
            for number in 1...count { events.add(event(number), to: 0, place: (group: 0, index: number - 1)) }
            return events
        }

        @Test func restoredEventsComeBeforeLaterOnes() {
            var events = filled(2)
            let batch = events.take()
            events.add(event(3), to: 0, place: nil)
            events.restore(batch, keeping: 1)
            let all = events.take()
            #expect(numbers(all.additions) == [1, 2, 3])
        }

        @Test func eventsOfTheCollectingGroupAreKept() {
            var events = filled(2) { ($0.maximumEvents, $0.overflow) = (2, .dropOldest) }
            let obstacles = (0...1).map { events.makeRoom(for: event(3), in: 0, keeping: $0) }
            #expect(obstacles == [.memory, nil])
            let batch = events.take()
            #expect(numbers(batch.additions) == [2])
            #expect(events.queues[0].losses.total == 1)
        }

        @Test func anEventIsRemovedFromTheFileUnderItsTemporaryID() {
            var events = filled(2)
            let ids = events.oldest(1, of: 0).map(\.id)
            let batch = events.take()
            var result = CommitResult()
            (result.ids, result.stored) = ([71, 72], [0: .init(count: 2, bytes: 1_400)])
            events.committed(batch, result)
            let removed = [events.remove(ids, of: 0), events.remove([72], of: 0)]
            #expect(removed == [[71], [72]])
            #expect(events.queues[0].count == 2)
        }
    }

    /// Waiting assignments, apart from the rest of the journal's state.
    @Suite struct PendingProfilesTests {
        private func change(_ user: String, _ variation: String, replaces: Bool = false) -> ProfileChange {
            ProfileChange(userID: user, assignments: ["experiment": variation], replaces: replaces)
        }

        private func add(_ change: ProfileChange, to profiles: inout PendingProfiles, group: Int = 0) {
            let hasRoom = profiles.add(change, group: group)
            #expect(hasRoom)
        }

        @Test func lookupsFindChangesUntilTheyAreInTheFile() {
            var profiles = PendingProfiles(options: SQLiteOptions())
            add(change("ada", "a"), to: &profiles)
            add(change("ben", "a"), to: &profiles)
            let batch = profiles.take()
            add(change("ada", "b"), to: &profiles, group: 1)
            profiles.committed(batch, group: 0, latestUse: nil)
            #expect(profiles.entry(of: "ada")?.assignments == ["experiment": "b"], "a later change is pending")
            #expect(profiles.entry(of: "ben") == nil)
        }

        @Test func aReplacementIsNotMergedWithEarlierChanges() {
            var profiles = PendingProfiles(options: SQLiteOptions())
            add(ProfileChange(userID: "ada", assignments: ["other": "a"]), to: &profiles)
            add(change("ada", "b", replaces: true), to: &profiles)
            add(ProfileChange(userID: "ada", assignments: ["third": "c"]), to: &profiles)
            let entry = profiles.entry(of: "ada")
            #expect(entry?.assignments == ["experiment": "b", "third": "c"] && entry?.replaces == true)
        }

        @Test func aUseAloneIsWritten() {
            var profiles = PendingProfiles(options: SQLiteOptions())
            #expect(!profiles.needsCommit)
            profiles.use(7)
            #expect(profiles.needsCommit)
            let batch = profiles.take()
            #expect(batch.used == [7] && !profiles.needsCommit)
            profiles.restore(batch)
            #expect(profiles.needsCommit, "the batch could not be written")
        }
    }

    /// Turns of callers that wait for the file, apart from the rest of the journal's state.
    @Suite struct CommitLeadershipTests {
        @Test func theFirstCallerOfTheNextGroupIsTheNextLeader() {
            var leadership = CommitLeadership()
            var roles = [leadership.join()]
            _ = leadership.closeGroup()
            roles += [leadership.join(), leadership.join()]
            #expect(roles == [.lead, .wait(asNextLeader: true), .wait(asNextLeader: false)])
            let promoted = leadership.leadEnded(written: 1, waiting: 0)
            #expect(promoted?.number == 1)
            _ = leadership.closeGroup()
            let another = leadership.leadEnded(written: 2, waiting: 0)
            let role = leadership.join()
            #expect(another == nil && role == .lead)
        }

        @Test func aLeaderExpectsAsManyEventsAsBefore() {
            var leadership = CommitLeadership()
            _ = leadership.leadEnded(written: 3, waiting: 2)
            #expect(leadership.missingCount(waiting: 1) == 4)
            #expect(leadership.missingCount(waiting: 9) == 0)
            _ = leadership.leadEnded(written: 10_000, waiting: 0)
            #expect(leadership.missingCount(waiting: 0) == 256)
        }

        @Test func aCallerWaitsUntilItsGroupIsClosed() {
            var leadership = CommitLeadership()
            let places = [leadership.addEvent(), leadership.addEvent()]
            #expect(places.map(\.group) == [0, 0] && places.map(\.index) == [0, 1])
            #expect(leadership.hasCallers)
            let closed = leadership.closeGroup(eventCount: 2)
            #expect(closed.number == 0 && closed.eventCount == 2 && !leadership.hasCallers)
            let next = leadership.addEvent()
            #expect(next.group == 1 && next.index == 0)
        }
    }

    /// Pauses after failures of the file, apart from the rest of the journal's state.
    @Suite struct WriteBackoffTests {
        private static let error = SQLiteError(code: 13, message: "database or disk is full", file: "")

        @Test func onlyTheFirstFailureAndTheFirstSuccessAreNews() {
            var backoff = WriteBackoff()
            let start = ContinuousClock.now
            var news = [backoff.succeeded()]
            news += [backoff.failed(Self.error, at: start), backoff.failed(Self.error, at: start)]
            #expect(backoff.error?.code == 13)
            news += [backoff.succeeded(), backoff.succeeded()]
            #expect(news == [false, true, false, true, false] && backoff.error == nil)
        }

        @Test func eachPauseIsTwiceAsLongAsThePreviousOne() {
            var backoff = WriteBackoff(random: MidpointRandomSource())
            var now = ContinuousClock.now
            #expect(backoff.remainder(at: now) == .zero)
            for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
                _ = backoff.failed(Self.error, at: now)
                #expect(backoff.remainder(at: now) == .milliseconds(pause))
                now += .milliseconds(pause) - .nanoseconds(1)
                #expect(backoff.errorDuringPause(at: now) != nil)
                #expect(backoff.remainder(at: now) == .milliseconds(1))
                now += .nanoseconds(1)
                #expect(backoff.errorDuringPause(at: now) == nil)
            }
        }
    }
#endif
