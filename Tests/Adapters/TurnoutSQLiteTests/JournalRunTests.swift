#if SQLite
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// Random runs of the journal's state: whichever thread commits, and however it ends, every caller is told once,
    /// and every event is in the file or counted.
    @Suite struct JournalRunTests {
        @Test(arguments: [EventOverflow.refuseNewest, .dropOldest])
        func everyCallerResumesAndNoEventIsLost(_ overflow: EventOverflow) {
            for seed in 0..<100 {
                var run = Run(overflow, seed: UInt64(seed))
                for _ in 0..<400 { run.step() }
                run.finish()
                #expect(run.told == run.asked && run.told > 20 && run.waiting.isEmpty, "seed \(seed)")
                let lost = run.state.events.queues[0].losses.total
                #expect(run.added == run.stored + run.removed + lost, "seed \(seed)")
            }
        }

        private struct Run {
            var state: JournalState
            private var now = ContinuousClock.now
            private let random: SeededRandomSource
            private(set) var (added, stored, removed) = (0, 0, 0)
            private(set) var (asked, told) = (0, 0)
            /// How many callers wait in each group, besides the leader.
            private(set) var waiting: [Int: Int] = [:]
            private var ended: Set<Int> = []
            /// The group of the leader.
            private var led: Int?
            /// The thread that holds the writer's lock.
            private var writer: (isLeader: Bool, batch: CommitBatch?)?

            init(_ overflow: EventOverflow, seed: UInt64) {
                var options = SQLiteOptions.durable
                (options.maximumEvents, options.overflow) = (12, overflow)
                options.maximumBufferedBytes = 5_000
                state = JournalState(options: options, queues: ["events"], random: MidpointRandomSource())
                random = SeededRandomSource(seed: seed)
            }

            private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

            mutating func step() {
                now += .milliseconds(Int(random.next() % 20))
                if chance(50) { return append() }
                if writer != nil { return advance(succeeds: chance(75)) }
                if chance(20) { return deliver() }
                begin(isLeader: led != nil && chance(70), anyway: chance(30))
            }

            /// Commits until no caller waits and nothing is left.
            mutating func finish() {
                repeat {
                    while writer != nil { advance(succeeds: true) }
                    begin(isLeader: led != nil, anyway: true)
                } while writer != nil || led != nil
            }

            private mutating func append() {
                let events = (0...Int(random.next() % 3)).map { event($0, size: 100) }
                if chance(30) {
                    guard let action = state.appendAsTask(events, to: 0) else { return }
                    return wait(in: action.group, action.end)
                }
                let (action, end) = state.append(events, to: 0)
                switch action {
                case .lead(let group, _):
                    #expect(led == nil, "only one thread leads")
                    led = group.number
                    asked += 1
                    added += end
                case .wait(let group, _, _):
                    #expect(led != nil, "a thread leads")
                    wait(in: group, end)
                default: #expect(end == 0)
                }
            }

            private mutating func wait(in group: CommitGroup, _ count: Int) {
                #expect(!ended.contains(group.number))
                waiting[group.number, default: 0] += 1
                asked += 1
                added += count
            }

            private mutating func deliver() {
                let ids = state.events.oldest(3, of: 0).map(\.id)
                removed += ids.count
                #expect(state.events.remove(ids, of: 0).isEmpty)
                if chance(50) {
                    (removed, stored) = (removed + stored, 0)
                    state.events.counted(.init(), in: 0)
                }
            }

            private mutating func begin(isLeader: Bool, anyway: Bool) {
                switch state.commitBegan(evenIfPausing: anyway, at: now) {
                case .nothing: release(isLeader, 0)
                case .backOff(_, let group):
                    end(group)
                    release(isLeader, 0)
                case .write: writer = (isLeader, nil)
                }
            }

            private mutating func advance(succeeds: Bool) {
                guard let (isLeader, batch) = writer else { return }
                if batch == nil, succeeds { return writer = (isLeader, state.take()) }
                let action: JournalState.EndAction
                if succeeds, let batch {
                    var result = CommitResult()
                    result.ids = batch.events.additions.enumerated().map { Int64($0.offset) }
                    stored += result.ids.count
                    result.stored[0] = .init(count: stored)
                    action = state.commitSucceeded(batch, result)
                } else {
                    let error = SQLiteError(code: 13, message: "database or disk is full", file: "")
                    action = state.commitFailed(batch, error, at: now)
                }
                writer = nil
                end(action.group)
                release(isLeader, batch?.group.eventCount ?? 0)
            }

            private mutating func end(_ closed: ClosedGroup?) {
                guard let closed else { return }
                #expect(ended.insert(closed.number).inserted, "a group ends once")
                told += waiting.removeValue(forKey: closed.number) ?? 0
            }

            private mutating func release(_ isLeader: Bool, _ count: Int) {
                guard isLeader, let group = led else { return }
                #expect(ended.contains(group), "a leader returns with an outcome")
                told += 1
                led = state.leadEnded(eventCount: count)?.number
                guard let led else { return }
                waiting[led, default: 0] -= 1
                if waiting[led] == 0 { waiting[led] = nil }
            }
        }
    }
#endif
