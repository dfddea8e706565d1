#if SQLite
    import Testing
    import TurnoutClient
    import TurnoutSQLite

    /// Threads that wait until what they gave is in the file.
    @Suite struct SQLiteWaitingTests {
        let directories = Directories()
        private static let (threads, perThread) = (48, 60)

        /// Others write, too: whoever reads, synchronizes or forgets a user ends rounds that somebody else leads, and
        /// may leave a round without anything to write.
        @Test(.timeLimit(.minutes(2))) func everybodyIsWokenWhoeverWrites() async throws {
            let storage = try SQLiteStorage(directory: directories.next(), .durable, log: .silent)
            let store = storage.events
            let running = Locked(Self.threads)
            for thread in 0..<Self.threads {
                BlockingCall.start {
                    for number in stride(from: 0, to: Self.perThread, by: 5) {
                        try? storage.profiles.remember(["e": "\(number)"], for: "\(thread % 4)")
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
            while running.withLock({ $0 }) + others.withLock({ $0 }) > 0 {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(store.count == Self.threads * Self.perThread)
            let found = numbers(try store.oldest(100_000))
            for thread in 0..<Self.threads {
                let own = found.filter { $0 / 1_000 == thread }
                #expect(own == (0..<Self.perThread).map { thread * 1_000 + $0 }, "each thread's events are in order")
            }
        }
    }
#endif
