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
            let lost = run.state.queues[0].losses.total
            #expect(run.added == run.stored + run.removed + lost, "seed \(seed)")
        }
    }

    private struct Run {
        var state: JournalState
        private var now = ContinuousClock.now
        private let random: SeededRandomSource
        private(set) var (added, stored, removed) = (0, 0, 0)
        private(set) var (asked, told) = (0, 0)
        /// The groups for which callers wait, and how many.
        private(set) var waiting: [(group: CommitGroup, count: Int)] = []
        /// Whether a thread makes a pass, or is about to.
        private var isPassing = false
        /// The thread that holds the writer's lock.
        private var writer: (isPass: Bool, batch: CommitBatch?)?

        init(_ overflow: EventOverflow, seed: UInt64) {
            var options = SQLiteOptions.durable
            (options.maximumEvents, options.overflow) = (12, overflow)
            options.maximumBufferedBytes = 5_000
            state = JournalState(options: options, random: MidpointRandomSource())
            _ = state.queue("events")
            random = SeededRandomSource(seed: seed)
        }

        private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

        mutating func step() {
            now += .milliseconds(Int(random.next() % 20))
            if chance(50) { return append() }
            if writer != nil { return advance(succeeds: chance(75)) }
            if chance(20) { return deliver() }
            begin(isPass: isPassing && chance(70), anyway: chance(30))
        }

        /// Commits until no thread has to write.
        mutating func finish() {
            while isPassing || writer != nil {
                if writer != nil { advance(succeeds: true) } else { begin(isPass: isPassing, anyway: true) }
            }
        }

        private mutating func append() {
            let events = (0...Int(random.next() % 3)).map { event($0, size: 100) }
            let action = state.append(events, from: 0, to: 0, isTask: chance(30))
            added += action.end
            perform(action.work)
            guard let group = action.group else { return #expect(action.end == 0) }
            asked += 1
            #expect(isPassing, "a thread will write")
            if waiting.last?.group === group {
                waiting[waiting.count - 1].count += 1
            } else {
                waiting.append((group, 1))
            }
        }

        private mutating func perform(_ work: JournalState.Work) {
            switch work {
            case .start, .write:
                #expect(!isPassing, "only one thread writes")
                isPassing = true
            case .hasten: #expect(isPassing)
            case .nothing: break
            }
        }

        private mutating func deliver() {
            let ids = state.queues[0].oldest(3).map(\.id)
            removed += ids.count
            let areInFile = state.queues[0].remove(ids)
            #expect(!areInFile)
            if chance(50) {
                (removed, stored) = (removed + stored, 0)
                state.queues[0].stored = .init()
            }
        }

        private mutating func begin(isPass: Bool, anyway: Bool) {
            if let (_, group) = state.commitBegan(evenIfPausing: anyway, at: now) {
                end(group, isPass)
            } else {
                writer = (isPass, nil)
            }
        }

        private mutating func advance(succeeds: Bool) {
            guard let (isPass, batch) = writer else { return }
            if batch == nil, succeeds { return writer = (isPass, state.take()) }
            writer = nil
            if succeeds, let batch {
                var result = CommitResult()
                for queue in batch.queues {
                    stored += queue.additions.count
                    let ids = queue.additions.indices.map { Int64($0) }
                    result.queues.append(.init(stored: .init(count: stored), ids: ids))
                }
                _ = state.commitSucceeded(batch, result)
                end(batch.group, isPass)
            } else {
                let error = SQLiteError(code: 13, message: "database or disk is full", file: "")
                let failure = state.commitFailed(batch, error, at: now)
                perform(failure.work)
                end(failure.group, isPass)
            }
        }

        /// A transaction ended, or was not tried.
        private mutating func end(_ group: CommitGroup?, _ isPass: Bool) {
            if let group, let place = waiting.firstIndex(where: { $0.group === group }) {
                told += waiting.remove(at: place).count
            } else {
                #expect(group == nil, "a group ends once")
            }
            if isPass { isPassing = state.passEnded(at: now) != nil }
        }
    }
}
