#if SQLite
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// A random source that always returns the middle, so that pauses have no jitter.
    struct MidpointRandomSource: RandomSource {
        func next() -> UInt64 { 1 << 63 }
    }

    /// Feeds steps to a journal's state, and describes its actions as text. Events are numbered by their timestamps.
    struct JournalTable {
        enum Step {
            case append(ClosedRange<Int>, bytes: Int = 100, totalsAreFresh: Bool = false)
            case task(ClosedRange<Int>)
            case save(String)
            case forget(String)
            case commit, commitAnyway
            case take
            case succeeded(dropped: Int = 0)
            case failed
            case leadEnded(Int)
            case flushBegan, flushFailed
            case counted(Int)
            /// Reads the waiting events, as a delivery does.
            case read
            /// Removes events that were read.
            case remove([Int])
            /// Ids in the file.
            case removalFailed([Int64])
            case fork
            /// Describes the state.
            case state
        }

        var state: JournalState
        var now = ContinuousClock.now
        /// The number of events in the file.
        private var stored = 0
        private var batch: CommitBatch?
        /// The ids of events that were read from memory, by number.
        private var ids: [Int: Int64] = [:]
        private static let error = SQLiteError(code: 13, message: "database or disk is full", file: "")

        init(_ options: SQLiteOptions = SQLiteOptions(), _ change: (inout SQLiteOptions) -> Void = { _ in }) {
            var options = options
            change(&options)
            state = JournalState(options: options, queues: ["events"], random: MidpointRandomSource())
        }

        /// Expects a result of a step.
        mutating func expect(_ next: Step, _ expected: String, location: SourceLocation = #_sourceLocation) {
            #expect(step(next) == expected, sourceLocation: location)
        }

        /// Performs a step, and describes the result.
        @discardableResult
        mutating func step(_ step: Step) -> String {
            switch step {
            case .append(let numbers, let bytes, let totalsAreFresh):
                let events = Self.events(numbers, bytes: bytes)
                let (action, end) = state.append(events, to: 0, totalsAreFresh: totalsAreFresh)
                return Self.words(action) + (0 < end && end < events.count ? ", up to \(end)" : "")
            case .task(let numbers):
                guard let action = state.appendAsTask(Self.events(numbers), to: 0) else { return "blocking" }
                return "suspend in #\(action.group.number) from \(action.first)" + (action.needsFlush ? ", flush" : "")
                    + (action.end < numbers.count ? ", up to \(action.end)" : "")
            case .save(let user):
                return Self.words(state.save(ProfileChange(userID: user, assignments: ["1": "2"])))
            case .commit, .commitAnyway, .take, .succeeded, .failed, .leadEnded: return commit(step)
            case .flushBegan: return "look at \(state.flushBegan().outdatedQueues)"
            case .flushFailed:
                let pause = state.flushFailed(at: now)
                return pause.map { "again after \(Int($0 / .milliseconds(1))) ms" } ?? "nothing left"
            default: return change(step)
            }
        }

        private mutating func commit(_ step: Step) -> String {
            switch step {
            case .commit: return Self.words(state.commitBegan(evenIfPausing: false, at: now))
            case .commitAnyway: return Self.words(state.commitBegan(evenIfPausing: true, at: now))
            case .take:
                let taken = state.take()
                batch = taken
                let removals = taken.events.removals[0].map { ", removals \($0.sorted())" } ?? ""
                return "\(Self.list(taken.events.additions.map(\.event))) of \(Self.words(taken.group))" + removals
            case .succeeded(let dropped):
                guard let taken = batch else { return "no batch" }
                let ids = taken.events.additions.enumerated().map { Int64(100 + $0.offset) }
                stored += ids.count - dropped
                var result = CommitResult()
                (result.ids, result.stored, result.dropped) = (ids, [0: .init(count: stored, bytes: 0)], [0: dropped])
                batch = nil
                return Self.words(state.commitSucceeded(taken, result))
            case .failed:
                defer { batch = nil }
                return Self.words(state.commitFailed(batch, Self.error, at: now))
            case .leadEnded(let count):
                return state.leadEnded(eventCount: count).map { "promote #\($0.number)" } ?? "no leader"
            default: return ""
            }
        }

        private mutating func change(_ step: Step) -> String {
            switch step {
            case .forget(let user): state.profiles.drop(user)
            case .counted(let count):
                stored = count
                state.events.counted(.init(count: count, bytes: 100 * count), in: 0)
            case .remove(let numbers):
                return "\(state.events.remove(numbers.compactMap { ids[$0] }, of: 0).count) in the file"
            case .removalFailed(let ids): return state.removalFailed(ids, of: 0) ? "flush" : ""
            case .fork: state.forked()
            case .read:
                let events = state.events.oldest(.max, of: 0)
                for entry in events { ids[Int(entry.event.timestamp ?? 0)] = entry.id }
                return Self.list(events.map(\.event))
            case .state:
                // Reading from a copy: reading exposes ids.
                var copy = state
                let (waiting, queue) = (copy.events.oldest(.max, of: 0).map(\.event), state.events.queues[0])
                return "\(queue.count) events, waiting: \(Self.list(waiting)), lost: \(queue.losses)"
            default: break
            }
            return ""
        }

        private static func events(_ numbers: ClosedRange<Int>, bytes: Int = 100) -> [OutgoingEvent] {
            numbers.map { number in
                let visitor = [UInt8](repeating: 0x20, count: bytes)
                return OutgoingEvent(
                    group: .init(region: .us, envelope: "["), visitor: visitor, timestamp: Int64(number))
            }
        }

        // MARK: Words

        private static func list(_ events: [OutgoingEvent]) -> String {
            events.isEmpty ? "none" : events.map { "\($0.timestamp ?? 0)" }.joined(separator: " ")
        }

        private static func words(_ action: JournalState.AddAction) -> String {
            switch action {
            case .accepted(let needsFlush): needsFlush ? "accepted, flush" : "accepted"
            case .lead(let group, let first): "lead #\(group.number) from \(first)"
            case .wait(let group, let first, let isNextLeader):
                "wait in #\(group.number) from \(first)" + (isNextLeader ? " as next leader" : "")
            case .makeRoom: "make room"
            case .reloadTotals: "look again"
            case .refused(let needsFlush): needsFlush ? "refused, flush" : "refused"
            }
        }

        private static func words(_ action: JournalState.CommitAction) -> String {
            switch action {
            case .nothing: "nothing"
            case .backOff(_, nil): "back off"
            case .backOff(_, let group?): "back off, wake \(words(group))"
            case .write: "write"
            }
        }

        private static func words(_ action: JournalState.EndAction) -> String {
            let group = action.group.map { "#\($0.number)" } ?? "none"
            return "wake \(group)" + (action.isTransition ? ", news" : "")
        }

        private static func words(_ group: ClosedGroup) -> String {
            switch group.nextLeader {
            case .none: "#\(group.number)"
            case .waiting: "#\(group.number), next leader waits"
            case .promoted: "#\(group.number), next leader promoted"
            }
        }
    }
#endif
