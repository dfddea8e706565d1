/// Threads and tasks that wait until their data is in the file.
@Suite struct SQLiteWaitingTests {
    let directories = Directories()
    var directory: String { directories.first }
    private static let (threads, perThread) = (48, 60)

    /// Concurrent reads, synchronizations and deletions end commit groups led by other threads, and may leave a
    /// group with nothing to write.
    @Test(.timeLimit(.minutes(2))) func allWaitersAreWokenByAnyWriter() async throws {
        let storage = try SQLiteStorage(directory: directories.next(), .durable, log: .silent)
        let store = storage.events
        let running = Locked(Self.threads)
        for thread in 0..<Self.threads {
            BlockingCall.start {
                for number in stride(from: 0, to: Self.perThread, by: 5) {
                    try? storage.profiles.save(["e": "\(number)"], for: "\(thread % 4)")
                    let events = (number..<number + 5).map { event(thread * 1_000 + $0) }
                    try? store.append(events[0])
                    _ = store.append(contentsOf: Array(events[1...]))
                }
                running.withLock { $0 -= 1 }
            }
        }
        let others = Locked(3)
        let disturbances: [@Sendable () throws -> Void] = [
            { try storage.synchronize() }, { _ = try store.oldest(1) }, { try storage.profiles.forget("1") },
        ]
        for disturb in disturbances {
            BlockingCall.start {
                while running.withLock({ $0 }) > 0 { try? disturb() }
                others.withLock { $0 -= 1 }
            }
        }
        try await wait("the end of all threads") { running.withLock { $0 } + others.withLock { $0 } == 0 }
        #expect(store.count == Self.threads * Self.perThread)
        let found = numbers(try store.oldest(100_000))
        for thread in 0..<Self.threads {
            let own = found.filter { $0 / 1_000 == thread }
            #expect(own == (0..<Self.perThread).map { thread * 1_000 + $0 }, "each thread's events are in order")
        }
    }

    /// Far more tasks than there are threads.
    @Test(.timeLimit(.minutes(2))) func waitingTasksBlockNoThread() async throws {
        let storage = try SQLiteStorage(directory: directory, .durable, log: .silent)
        let store = storage.events
        let (tasks, each) = (2_000, 3)
        let threads = Collected<Int>()
        await concurrently(0..<tasks) { task in
            for number in 0..<each {
                let errors = await store.appendDurably([event(task * each + number)])
                #expect(errors.isEmpty)
                if number == 1, task % 100 == 0 { threads.add(threadCount()) }
            }
        }
        let stored = numbers(try SQLiteStorage(directory: directory).events.oldest(100_000))
        #expect(stored.sorted() == Array(0..<(tasks * each)))
        // Other tests have threads, too.
        #expect(threads.all.count == tasks / 100 && threads.all.allSatisfy { $0 < tasks / 4 })
    }

    @Test(.timeLimit(.minutes(2))) func asyncCallersReceiveANotDurableError() async throws {
        var options = SQLiteOptions.durable
        options.busyTimeout = .milliseconds(20)
        options.maximumEvents = 20
        let storage = try SQLiteStorage(directory: directory, options, log: .silent)
        let store = storage.events
        #expect(await store.appendDurably((0..<10).map { event($0) }).isEmpty)
        let other = try SQLiteConnection(path: file(in: directory))
        try other.run("BEGIN EXCLUSIVE; UPDATE totals SET name = name")
        let locked = await store.appendDurably((10..<15).map { event($0) })
        #expect(codes(locked) == Array(repeating: .notDurable, count: 5) && locked.keys.max() == 4)
        try other.run("ROLLBACK")
        try storage.synchronize()
        let full = await store.appendDurably((15..<25).map { event($0) })
        #expect(codes(full) == Array(repeating: .full, count: 5) && full.keys.min() == 5)
        #expect(numbers(try SQLiteStorage(directory: directory).events.oldest(100)) == Array(0..<20))
    }

    /// Otherwise each of them would wait for the pause and for the lock, longer and longer.
    @Test(.timeLimit(.minutes(2))) func asyncCallersFailAtOnceWhileTheWriterBacksOff() async throws {
        var options = SQLiteOptions.durable
        options.busyTimeout = .milliseconds(20)
        let now = Locked(ContinuousClock.now)
        let store = try SQLiteStorage(directory: directory, options, log: .silent) { now.withLock { $0 } }.events
        let other = try SQLiteConnection(path: file(in: directory))
        try other.run("BEGIN EXCLUSIVE; UPDATE totals SET name = name")
        #expect(codes(await store.appendDurably([event(0)])) == [.notDurable])
        try other.run("ROLLBACK")
        // The clock stands still, so the pause does not end: the file could be written, but is not tried.
        for number in 1..<40 { #expect(codes(await store.appendDurably([event(number)])) == [.notDurable]) }
        // Longer than every pause: random jitter lengthens the first one of 50 ms by up to a quarter.
        now.withLock { $0 += .seconds(10) }
        #expect(await store.appendDurably([event(40)]).isEmpty)
        #expect(numbers(try SQLiteStorage(directory: directory).events.oldest(100)) == Array(0...40))
    }

    private func codes(_ errors: [Int: any Error]) -> [EventStoreError] {
        errors.values.compactMap { $0 as? EventStoreError }
    }
}

/// The number of threads of this process; 0 if the system does not tell.
private func threadCount() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
}
