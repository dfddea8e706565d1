import Dispatch
import Testing
import TurnoutClient

/// Runs only some tests at the same time, each on a thread of its own.
///
/// They talk to the server that answers them over sockets, and that blocks. On the threads that Swift's tasks share, of
/// which there are as many as processors, they would keep clients from doing what the tests wait for.
struct FewAtATime: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        // A suite is not over before its tests are.
        guard testCase != nil else { return try await function() }
        let seat = await Seats.all.take()
        defer { Seats.all.leave(seat) }
        try await withTaskExecutorPreference(seat) { try await function() }
    }
}

extension Trait where Self == FewAtATime {
    static var fewAtATime: FewAtATime { FewAtATime() }
}

/// A thread for one test at a time.
private final class Seat: TaskExecutor {
    private let queue = DispatchQueue(label: "a test over sockets")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// All threads for tests. They live for ever because tasks do not keep their executor.
private final class Seats: Sendable {
    private struct State {
        var free = (0..<8).map { _ in Seat() }
        var waiting: [CheckedContinuation<Seat, Never>] = []
    }

    static let all = Seats()
    private let state = Locked(State())

    func take() async -> Seat {
        await withCheckedContinuation { continuation in
            let seat = state.withLock { state in
                if state.free.isEmpty { state.waiting.append(continuation) }
                return state.free.popLast()
            }
            if let seat { continuation.resume(returning: seat) }
        }
    }

    func leave(_ seat: Seat) {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(seat)
                return CheckedContinuation<Seat, Never>?.none
            }
            return state.waiting.removeFirst()
        }
        next?.resume(returning: seat)
    }
}
