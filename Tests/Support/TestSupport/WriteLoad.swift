import Foundation
package import TurnoutClient

/// Threads that add assignments until they are stopped, and remember which were acknowledged. After each addition they
/// look up somebody whose profile does not change: it must be whole, or not be told at all.
package final class WriteLoad: Sendable {
    private struct Written: Sendable {
        let user: String
        let experiment: String
    }

    private let store: any ProfileStore
    private let steady: (userID: String, profile: UserProfile)?
    private let acknowledged = Collected<Written>()
    private let isOver = Locked(false)
    private let atWork: Locked<Int>
    private let failures = Locked((recent: 0, total: 0))
    /// What must not happen: other profiles than those that were stored, errors with ids of users.
    package let surprises = Collected<String>()

    /// Starts the threads.
    package init(
        _ store: any ProfileStore, writers: Int, lookingUp steady: (userID: String, profile: UserProfile)? = nil
    ) {
        self.store = store
        self.steady = steady
        atWork = Locked(writers)
        for writer in 0..<writers { BlockingCall.start { self.write(writer) } }
    }

    /// What went wrong since the last time that enough was written.
    package var failureCount: Int { failures.withLock { $0.recent } }
    /// What went wrong since the beginning.
    package var failureTotal: Int { failures.withLock { $0.total } }

    private func write(_ writer: Int) {
        var number = 0
        while !isOver.withLock({ $0 }) {
            number += 1
            // However long it takes until somebody looks, other tests go on beside it.
            usleep(200)
            let written = Written(user: "writer \(writer) \(number % 50)", experiment: "\(number)")
            attempt {
                try store.remember([written.experiment: "v"], for: written.user)
                acknowledged.add(written)
            }
            guard let steady else { continue }
            attempt {
                let found = try store.profile(of: steady.userID)
                if found != steady.profile { surprises.add("a profile of \(found.assignments.count) assignments") }
            }
        }
        atWork.withLock { $0 -= 1 }
    }

    private func attempt(_ body: () throws -> Void) {
        do { try body() } catch {
            for id in ["writer", steady?.userID].compactMap({ $0 }) where "\(error)".contains(id) {
                surprises.add("\(error)")
            }
            failures.withLock { $0 = ($0.recent + 1, $0.total + 1) }
            // A server that failed is left alone, which takes no time; the others need the processor.
            usleep(1_000)
        }
    }

    /// Waits for so many more writes.
    package func waitForMore(_ count: Int) async throws {
        let goal = acknowledged.count + count
        try await wait("\(count) more writes") { acknowledged.count >= goal }
        failures.withLock { $0.recent = 0 }
    }

    /// Waits until nobody writes.
    package func stop() async throws {
        isOver.withLock { $0 = true }
        try await wait("the last writes") { atWork.withLock { $0 == 0 } }
    }

    /// What was acknowledged and is not in a store.
    package func lost(from store: any ProfileStore) throws -> [String] {
        let written = acknowledged.all
        let profiles = try store.profiles(of: Array(Set(written.map(\.user))))
        return written.filter { profiles[$0.user]?.assignments[$0.experiment] != "v" }
            .map { "\($0.experiment) of \($0.user), one of \(written.count)" }
    }
}
