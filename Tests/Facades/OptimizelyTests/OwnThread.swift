/// Runs each test of a suite on a thread of its own, and not on those of Swift's concurrency pool.
///
/// The calls of the facade block, and so do their tests. On the pool's threads, of which there are as many as
/// processors, they would block the rest of the process, and be blocked by it.
///
/// Clients in these tests have no network and store nothing, unless a test sets another environment.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    /// Sets the environment of clients that are created outside of a test's task, once, because tests run in parallel.
    private static let isolation: Void = HostEnvironment.standard.withLock { $0 = HostEnvironment() }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        Self.isolation
        guard testCase != nil else { return try await function() }
        // Services must not keep state from one test to the next.
        try await HostEnvironment.$override.withValue(HostEnvironment()) {
            try await BlockingTests.blocking.provideScope(for: test, testCase: testCase, performing: function)
        }
    }
}

extension Trait where Self == OwnThread {
    static var ownThread: OwnThread { OwnThread() }
}
