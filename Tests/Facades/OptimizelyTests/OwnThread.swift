import Dispatch
import Optimizely
import Testing
import TurnoutClient

/// Runs the tests of a suite on one thread apart from those that Swift's tasks share.
///
/// The calls of the older interface block, and so do their tests. On a shared thread, of which there are as many as
/// processors, they would keep everything else in the process from going on, and be kept by others.
///
/// Clients of these tests have no network and keep nothing, unless a test gives them another world.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        World.standard.withLock { $0 = World() }
        guard testCase != nil else { return try await function() }
        // What one test has a service remember must not be known to the next.
        try await World.$chosen.withValue(World()) {
            try await withTaskExecutorPreference(SerialExecutor.shared) { try await function() }
        }
    }

    private final class SerialExecutor: TaskExecutor {
        static let shared = SerialExecutor()
        private let queue = DispatchQueue(label: "tests that block")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}

extension Trait where Self == OwnThread {
    static var ownThread: OwnThread { OwnThread() }
}
