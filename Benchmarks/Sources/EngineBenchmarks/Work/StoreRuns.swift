import Dispatch
import Synchronization
import TurnoutClient
import TurnoutEngine

/// The cost of assignments in a local server.
struct StoreRuns {
    /// The number of rounds for a median.
    static let rounds = 20_000
    /// The number of users per lookup.
    private static let batch = 1_000

    private let store: any ProfileStore
    private let subject: Subject
    /// Users, each with a flag whose decision causes an assignment.
    private let visits: [(flag: String, user: Person)]

    /// Prepares 50,000 users.
    init(_ subject: Subject, _ store: any ProfileStore) throws {
        self.store = store
        self.subject = subject
        var visits: [(flag: String, user: Person)] = []
        var number = 0
        while visits.count < 50 * Self.batch {
            let (flag, person) = (subject.flagKeys[number % subject.flagKeys.count], subject.profiles[number % 64])
            let user = Person(id: "visitor_\(number)", names: person.names, values: person.values)
            if subject.project.decide(flag, for: user.user).assignment != nil { visits.append((flag, user)) }
            number += 1
        }
        self.visits = visits
    }

    /// The wall time from the lookup of an unknown user to the end of the addition.
    func nanosecondsPerRound() throws -> Double {
        let idleServers = try ServerProcess.idleServers()
        defer { for server in idleServers { server.stop() } }
        let clock = ContinuousClock()
        let times = try (0..<Self.rounds).map { number in
            let userID = "user_\(number)"
            return try clock.measure {
                guard try store.profile(of: userID).assignments.isEmpty else { throw Unexpected() }
                try store.save(["10420810910": "10418551353"], for: userID)
            } / .nanoseconds(1)
        }
        return median(times)
    }

    /// Two threads look up a thousand users at a time, and decide for each of them as on their first visit.
    func decisionsPerSecond() throws -> Double {
        let first = try client(store)
        try inParallel(2) { part in
            for visit in visits[part * visits.count / 2..<(part + 1) * visits.count / 2] {
                _ = first.decide(visit.flag, for: visit.user.user)
            }
        }
        let rates = try (0..<7).map { _ in
            let cached = store.applying(ProfilePolicy(age: .seconds(60)))
            let client = try client(cached)
            let time = try ContinuousClock().measure {
                try inParallel(2) { part in
                    for start in stride(from: part * Self.batch, to: visits.count, by: 2 * Self.batch) {
                        let visits = visits[start..<start + Self.batch]
                        _ = try cached.profiles(of: visits.map(\.user.id))
                        for visit in visits {
                            let decision = client.decide(visit.flag, for: visit.user.user)
                            guard decision.stage == .storedAssignment else { throw Unexpected() }
                        }
                    }
                }
            }
            return Double(visits.count) / (time / .seconds(1))
        }
        return median(rates)
    }

    private func client(_ store: any ProfileStore) throws -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.defaultOptions = .disableDecisionEvent
        configuration.profiles = store
        return try FlagClient(datafile: subject.bytes, configuration)
    }
}

/// The error of a store that does not behave as expected.
struct Unexpected: Error {}

/// Runs a function a number of times concurrently, with a number for each.
///
/// - Throws: An error of one of the calls, after all have ended.
func inParallel(_ count: Int, _ body: @Sendable (Int) throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: count) { number in
        do { try body(number) } catch { failure.withLock { $0 = error } }
    }
    if let error = failure.withLock({ $0 }) { throw error }
}
