import CAllocationCounter
import Dispatch
import Synchronization
import TurnoutClient

/// The additional time of a decision with a cached store, compared with no store, for a user in the cache.
struct CachedStoreRuns {
    private static let decisionsPerRun = 20_000
    private static let pairs = 51

    private let subject: Subject
    private let plain: [UserContext]
    private let cached: [UserContext]

    /// Caches all users in front of a remote store.
    init(_ subject: Subject) throws {
        self.subject = subject
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.defaultOptions = .disableDecisionEvent
        let plain = try FlagClient(datafile: subject.bytes, configuration)
        configuration.profiles = ElsewhereStore().applying(ProfilePolicy(age: .seconds(86_400)))
        let cached = try FlagClient(datafile: subject.bytes, configuration)
        // Separate users for each, so that neither warms the processor cache for the other.
        self.plain = subject.withOwnUsers(startingAt: 0).users.map { UserContext(client: plain, user: $0) }
        self.cached = subject.withOwnUsers(startingAt: 0).users.map { UserContext(client: cached, user: $0) }
        for context in self.cached { _ = context.decideAll() }
    }

    /// The added time in nanoseconds.
    func nanosecondsAdded() -> Double {
        difference { contexts in
            Stopwatch.nanoseconds {
                var checksum = 0
                subject.rotate(Self.decisionsPerRun, among: contexts) { checksum &+= read($1.decide($0)) }
                keep_result(Int64(checksum))
            }
        }
    }

    /// The same for decisions that may wait for the store.
    func nanosecondsAddedWaiting() -> Double {
        difference { contexts in
            let time = Mutex<Int64>(0)
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                // There is no suspension, so the thread stays the same.
                let start = thread_cpu_nanoseconds()
                var checksum = 0
                for number in 0..<Self.decisionsPerRun {
                    let key = subject.flagKeys[number % subject.flagKeys.count]
                    let context = contexts[number / 64 % contexts.count]
                    checksum &+= read(await context.decide(key, within: .seconds(60)))
                }
                keep_result(Int64(checksum))
                time.withLock { $0 = thread_cpu_nanoseconds() - start }
                done.signal()
            }
            done.wait()
            return time.withLock { $0 }
        }
    }

    /// Alternates both, so that a slower phase of the machine affects both.
    private func difference(_ time: ([UserContext]) -> Int64) -> Double {
        median(
            (0..<Self.pairs).map { _ in
                let without = time(plain)
                return Double(time(cached) - without) / Double(Self.decisionsPerRun)
            })
    }
}

/// An in-memory store marked as remote, so that it is not read synchronously.
private final class ElsewhereStore: ProfileStore {
    private let memory = MemoryProfileStore()
    var isRemote: Bool { true }
    func profile(of userID: String) throws -> UserProfile { memory.profile(of: userID) }
    func save(_ assignments: [String: String], for userID: String) throws {
        memory.save(assignments, for: userID)
    }
}
