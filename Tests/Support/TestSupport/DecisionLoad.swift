import Foundation
package import TurnoutClient

/// Threads that repeatedly decide a flag for the same users until they are stopped. Whatever happens to the store, each
/// user must get the expected variation.
package final class DecisionLoad: Sendable {
    private struct Counts {
        var decided = 0
        var withoutProfile = 0
        var remembered = 0
    }

    private let client: FlagClient
    private let flag: String
    private let expected: [(userID: String, variation: String)]
    private let counts = Locked(Counts())
    private let isOver = Locked(false)
    private let atWork: Locked<Int>
    /// Unexpected decisions.
    package let surprises = Collected<String>()

    /// Starts the threads; `expected` has variations by user id.
    package init(_ client: FlagClient, flag: String, threads: Int, expected: [String: String]) {
        self.client = client
        self.flag = flag
        self.expected = expected.map { (userID: $0.key, variation: $0.value) }
        atWork = Locked(threads)
        for thread in 0..<threads { BlockingCall.start { self.decide(from: thread) } }
    }

    private func decide(from first: Int) {
        var number = first
        while !isOver.withLock({ $0 }) {
            let (userID, variation) = expected[number % expected.count]
            number += 1
            // Yields to other tests, whatever the duration of this load.
            usleep(2_000)
            let decision = client.user(userID).decide(flag)
            if decision.variationKey != variation { surprises.add("\(decision)") }
            let isWithoutProfile = decision.reasons.contains(.profileUnavailable)
            // A failed server is not called, so decisions take no time; yields the processor.
            if isWithoutProfile { usleep(1_000) }
            counts.withLock { counts in
                counts.decided += 1
                if isWithoutProfile { counts.withoutProfile += 1 }
                if decision.stage == .storedAssignment { counts.remembered += 1 }
            }
        }
        atWork.withLock { $0 -= 1 }
    }

    /// The number of decisions without a profile.
    package var withoutProfileCount: Int { counts.withLock { $0.withoutProfile } }

    /// Waits for a number of further decisions.
    package func waitForMore(_ count: Int) async throws { try await wait("decisions", count) { $0.decided } }

    /// Waits for a number of further decisions without a profile.
    package func waitForMoreWithoutProfile(_ count: Int) async throws {
        try await wait("decisions without a profile", count) { $0.withoutProfile }
    }

    /// Waits for a number of further decisions with a stored assignment.
    package func waitForMoreRemembered(_ count: Int) async throws {
        try await wait("stored users", count) { $0.remembered }
    }

    private func wait(_ what: String, _ count: Int, _ value: @Sendable (Counts) -> Int) async throws {
        let goal = counts.withLock { value($0) } + count
        try await TestSupport.wait("\(count) more \(what)") { counts.withLock { value($0) } >= goal }
    }

    /// Stops the threads, and waits for them.
    package func stop() async throws {
        isOver.withLock { $0 = true }
        try await TestSupport.wait("the last decisions") { atWork.withLock { $0 == 0 } }
    }
}
