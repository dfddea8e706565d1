import Foundation
package import TurnoutClient

/// Threads that add assignments until they are stopped, and record which were acknowledged. After each addition they
/// look up a profile that does not change: it must be complete, or the lookup must fail.
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
    /// Violations: profiles other than those stored, errors with user ids.
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

    /// The number of failures since the last wait for writes.
    package var failureCount: Int { failures.withLock { $0.recent } }
    /// The number of all failures.
    package var failureTotal: Int { failures.withLock { $0.total } }

    private func write(_ writer: Int) {
        var number = 0
        while !isOver.withLock({ $0 }) {
            number += 1
            // Yields to other tests, whatever the duration of this load.
            usleep(2_000)
            let written = Written(user: "writer \(writer) \(number % 50)", experiment: "\(number)")
            attempt {
                try store.save([written.experiment: "v"], for: written.user)
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
            // A failed server is not called, so writes take no time; yields the processor.
            usleep(1_000)
        }
    }

    /// Waits for a number of further writes.
    package func waitForMore(_ count: Int) async throws {
        let goal = acknowledged.count + count
        try await wait("\(count) more writes") { acknowledged.count >= goal }
        failures.withLock { $0.recent = 0 }
    }

    /// Stops the threads, and waits for them.
    package func stop() async throws {
        isOver.withLock { $0 = true }
        try await wait("the last writes") { atWork.withLock { $0 == 0 } }
    }

    /// Acknowledged assignments that are missing in a store.
    package func lost(from store: any ProfileStore) throws -> [String] {
        let written = acknowledged.all
        let profiles = try store.profiles(of: Array(Set(written.map(\.user))))
        return written.filter { profiles[$0.user]?.assignments[$0.experiment] != "v" }
            .map { "\($0.experiment) of \($0.user), one of \(written.count)" }
    }
}
