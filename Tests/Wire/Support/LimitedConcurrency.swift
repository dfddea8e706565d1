import Dispatch
import Testing
import TurnoutClient

/// Limits the number of concurrent tests, and runs each on its own thread.
///
/// The tests block while they communicate with the test server. On the threads of Swift's concurrency pool, of which
/// there are as many as processors, they would block the clients that they wait for.
struct LimitedConcurrency: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // A suite ends after its tests, so it must not occupy a thread.
        guard testCase != nil else { return try await function() }
        let executor = await ExecutorPool.all.take()
        defer { ExecutorPool.all.release(executor) }
        try await withTaskExecutorPreference(executor) { try await function() }
    }
}

extension Trait where Self == LimitedConcurrency {
    static var limitedConcurrency: LimitedConcurrency { LimitedConcurrency() }
}

/// An executor for one test at a time.
private final class SerialTestExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "a test over sockets")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// All executors for tests. They are permanent, because tasks do not retain their executor.
private final class ExecutorPool: Sendable {
    private struct State {
        var free = (0..<8).map { _ in SerialTestExecutor() }
        var waiting: [CheckedContinuation<SerialTestExecutor, Never>] = []
    }

    static let all = ExecutorPool()
    private let state = Locked(State())

    func take() async -> SerialTestExecutor {
        await withCheckedContinuation { continuation in
            let executor = state.withLock { state in
                if state.free.isEmpty { state.waiting.append(continuation) }
                return state.free.popLast()
            }
            if let executor { continuation.resume(returning: executor) }
        }
    }

    func release(_ executor: SerialTestExecutor) {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(executor)
                return CheckedContinuation<SerialTestExecutor, Never>?.none
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: executor)
    }
}
