import LibC
package import Testing
import TurnoutClient

/// Runs the tests of a suite on threads that nothing else waits for.
///
/// Use it for tests that block: they start programs, wait for sockets or semaphores. On the threads of Swift's
/// concurrency pool, of which there are as many as processors, they would delay all other tests, and the code that they
/// wait for. Their child tasks run there, too, so do not use it for tests that count the threads of many tasks.
package struct BlockingTests: TestTrait, SuiteTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingExecutor.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// Runs the tests of a suite on threads that may block.
    package static var blocking: BlockingTests { BlockingTests() }
}

/// Runs each job on a thread for blocking calls.
private final class BlockingExecutor: TaskExecutor {
    /// Permanent, because tasks do not retain their executor.
    static let shared = BlockingExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        BlockingCall.start { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Runs steps beside the body of an exit test, on a thread that may block. A step that throws is an issue, and ends the
/// process with a failure.
package func beside(_ steps: @escaping @Sendable () throws -> Void) {
    BlockingCall.start {
        do { try steps() } catch {
            Issue.record(error)
            exit(EXIT_FAILURE)
        }
    }
}

/// Runs a blocking call on a thread that nothing else waits for.
package func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        BlockingCall.start { continuation.resume(with: Result { try body() }) }
    }
}
