import Dispatch
import Optimizely
import Testing
import TurnoutClient

/// Runs the tests of a suite on one thread, separate from the threads of Swift's concurrency pool.
///
/// The calls of the facade block, and so do their tests. On the pool's threads, of which there are as many as
/// processors, they would block the rest of the process, and be blocked by it.
///
/// Clients in these tests have no network and store nothing, unless a test sets another environment.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        HostEnvironment.standard.withLock { $0 = HostEnvironment() }
        guard testCase != nil else { return try await function() }
        // Services must not keep state from one test to the next.
        try await HostEnvironment.$override.withValue(HostEnvironment()) {
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
