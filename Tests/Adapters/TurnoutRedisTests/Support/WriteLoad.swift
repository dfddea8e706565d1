#if Redis
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutRedis

    /// Threads that add assignments until they are stopped, and remember which were acknowledged.
    final class WriteLoad: Sendable {
        private struct Written: Sendable {
            let user: String
            let experiment: String
        }

        private let store: RedisProfileStore
        private let acknowledged = Collected<Written>()
        private let isOver = Locked(false)
        private let atWork: Locked<Int>
        /// What went wrong since the last time that enough was written.
        let failures = Failures()

        final class Failures: Sendable {
            private let errors = Locked<[any Error]>([])
            var count: Int { errors.withLock { $0.count } }
            func add(_ error: any Error) {
                // Ids are in none of them.
                #expect((error as? RedisError)?.description.contains("writer") == false, "\(error)")
                errors.withLock { $0.append(error) }
            }
            func clear() { errors.withLock { $0.removeAll() } }
        }

        init(_ options: RedisOptions, writers: Int) throws {
            store = try RedisProfileStore(options)
            atWork = Locked(writers)
            for writer in 0..<writers { BlockingCall.start { self.write(writer) } }
        }

        private func write(_ writer: Int) {
            var number = 0
            while !isOver.withLock({ $0 }) {
                number += 1
                let written = Written(user: "writer \(writer) \(number % 50)", experiment: "\(number)")
                do {
                    try store.remember([written.experiment: "v"], for: written.user)
                    acknowledged.add(written)
                } catch {
                    failures.add(error)
                }
            }
            atWork.withLock { $0 -= 1 }
        }

        /// Waits for so many more writes.
        func waitForMore(_ count: Int) async throws {
            let goal = acknowledged.count + count
            try await wait("\(count) more writes") { acknowledged.count >= goal }
            failures.clear()
        }

        /// Waits until nobody writes.
        func stop() async throws {
            isOver.withLock { $0 = true }
            try await wait("the last writes") { atWork.withLock { $0 == 0 } }
        }

        /// Everything that was acknowledged must be there.
        func check(_ store: RedisProfileStore) throws {
            let written = acknowledged.all
            let profiles = try store.profiles(of: Array(Set(written.map(\.user))))
            let lost = written.filter { profiles[$0.user]?.assignments[$0.experiment] != "v" }
            #expect(lost.isEmpty, "\(lost.count) of \(written.count) acknowledged writes are lost")
        }
    }
#endif
