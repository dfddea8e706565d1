package import TurnoutClient
import TurnoutEngine

/// The session of a store, which is opened when it is first needed, and its statements, each prepared when it is
/// first needed. No call blocks its thread.
///
/// After failures that mean an outage, calls fail at once for pauses that grow to some seconds; one call at a time
/// then tries again. The driver itself reconnects to nodes in the background.
final class Session: Sendable {
    typealias Receiver<Value> = @Sendable (Result<Value, ProfileServerError>) -> Void

    /// An open session and its statements.
    private final class Open: Sendable {
        let session: DriverSession
        private let statements = TableStatement.allCases.map { _ in SharedValue<DriverStatement>() }

        init(_ session: DriverSession) { self.session = session }

        subscript(_ statement: TableStatement) -> SharedValue<DriverStatement> { statements[statement.rawValue] }
    }

    /// A session with a statement that is ready for use until the deadline.
    struct Ready: Sendable {
        let session: DriverSession
        let statement: DriverStatement
        let deadline: ContinuousClock.Instant
        fileprivate let begunAt: ContinuousClock.Instant

        /// The time that is left.
        var rest: Duration { ContinuousClock.now.duration(to: deadline) }
    }

    private struct State {
        var breaker = CircuitBreaker(Backoff(first: .milliseconds(50), longest: .seconds(5), random: .system))
        /// The last failure that means an outage.
        var failure: ProfileServerError?
        /// The number of requests without a response since the last response.
        var unansweredCount = 0
    }

    /// A single slow partition does not mean that the cluster is down.
    private static let silentLimit = 8

    private let cluster: DriverCluster
    private let options: CassandraOptions
    private let open = SharedValue<Open>()
    private let state = Locked(State())

    init(_ cluster: DriverCluster, _ options: CassandraOptions) {
        self.cluster = cluster
        self.options = options
    }

    /// Prepares a statement, or skips the cluster for a while after failures.
    func prepare(
        _ statement: TableStatement, until deadline: ContinuousClock.Instant, _ receive: @escaping Receiver<Ready>
    ) {
        let start = ContinuousClock.now
        let failure = state.withLock { $0.breaker.admits(at: start, until: deadline) ? nil : $0.failure }
        if let failure { return receive(.failure(failure.skipping)) }
        open.get({ [options] opened in
            switch opened {
            case .failure(let error): receive(.failure(error))
            case .success(let open):
                open[statement].get({ prepared in
                    receive(
                        prepared.map {
                            Ready(session: open.session, statement: $0, deadline: deadline, begunAt: start)
                        }
                    )
                }) { end in
                    open.session.prepare(statement.text(options)) { outcome in
                        // Once, however many calls wait for it.
                        if case .failure(let error) = outcome { self.note(error, begunAt: start) }
                        end(outcome.mapError { $0 == .invalidQuery ? .noTable(options) : $0 })
                    }
                }
            }
        }) { end in
            cluster.connect { outcome in
                if case .failure(let error) = outcome { self.note(error, begunAt: start) }
                end(outcome.map(Open.init))
            }
        }
    }

    /// Executes requests of a statement that is ready, unless its deadline has passed.
    func execute(
        _ requests: [DriverRequest], _ ready: Ready, at time: Int64? = nil, after page: DriverResult? = nil,
        _ receive: @escaping Receiver<DriverResult>
    ) {
        let rest = ready.rest
        guard rest > .zero else { return receive(.failure(.late)) }
        ready.session.execute(requests, at: time, after: page, within: rest) { outcome in
            switch outcome {
            case .success: self.noteResponse()
            case .failure(let error):
                // Silence in the last moments of a call says nothing about the nodes.
                if !error.isTimeout || rest >= self.options.timeout / 2 { self.note(error, begunAt: ready.begunAt) }
            }
            receive(outcome)
        }
    }

    private func noteResponse() {
        state.withLock { state in
            state.unansweredCount = 0
            _ = state.breaker.worked()
        }
    }

    private func note(_ error: ProfileServerError, begunAt start: ContinuousClock.Instant) {
        state.withLock { state in
            if error.isTimeout { state.unansweredCount += 1 }
            guard error.indicatesOutage || error.isTimeout && state.unansweredCount >= Self.silentLimit else {
                if !error.isTimeout {
                    state.unansweredCount = 0
                    _ = state.breaker.worked()
                }
                return
            }
            state.failure = error
            state.breaker.failed(at: .now, begunAt: start)
        }
    }
}

/// The statements of a store.
enum TableStatement: Int, CaseIterable {
    case lookup, write, removal, userList

    func text(_ options: CassandraOptions) -> String {
        let table = Self.table(options)
        return switch self {
        case .lookup: "SELECT experiment_id, variation_id FROM \(table) WHERE user_id = ?"
        case .write:
            "INSERT INTO \(table) (user_id, experiment_id, variation_id) VALUES (?, ?, ?)"
                + (options.timeToLive == nil ? "" : " USING TTL ?")
        case .removal: "DELETE FROM \(table) WHERE user_id = ?"
        case .userList: "SELECT DISTINCT user_id FROM \(table)"
        }
    }

    /// The name of the table with its keyspace. Quoted, since CQL ignores the case of names without quotes.
    static func table(_ options: CassandraOptions) -> String { "\"\(options.keyspace)\".\"\(options.table)\"" }
}

/// A lazily created value. Concurrent callers share one attempt. A failed attempt is forgotten, and the next caller
/// makes another one. Waiting blocks no thread.
///
/// Not a `SingleFlight`, which forgets each result and runs a task: this keeps the value until the process forks,
/// and the driver's callbacks pass it on.
package final class SharedValue<Value: Sendable>: Sendable {
    package typealias Outcome = Result<Value, ProfileServerError>
    package typealias Receiver = @Sendable (Outcome) -> Void

    private struct State {
        var value: Value?
        /// The receivers that wait for the attempt; nil without one.
        var receivers: [Receiver]?
        var generation = Fork.generation
    }

    private enum Step {
        case end(Outcome)
        case wait
        case make
    }

    /// How many callers may wait for an attempt.
    private static var limit: Int { 1_000 }

    private let state = Locked(State())

    /// Creates an object without a value.
    package init() {}

    /// Passes the value to `receive`, at once if it is known.
    ///
    /// - Parameters:
    ///   - receive: Called once, on any thread; at once with `overloaded` if a thousand callers wait already.
    ///   - make: Makes the value, and passes it on.
    package func get(_ receive: @escaping Receiver, create make: (@escaping Receiver) -> Void) {
        let step: Step = state.withLock { state in
            // In a forked process, the threads that serve the value do not exist.
            if state.generation != Fork.generation { state = State() }
            if let value = state.value { return .end(.success(value)) }
            guard let count = state.receivers?.count else {
                state.receivers = [receive]
                return .make
            }
            guard count < Self.limit else { return .end(.failure(.overloaded)) }
            state.receivers?.append(receive)
            return .wait
        }
        switch step {
        case .end(let outcome): receive(outcome)
        case .wait: break
        case .make: make { self.end($0) }
        }
    }

    private func end(_ outcome: Outcome) {
        let receivers: [Receiver] = state.withLock { state in
            guard let receivers = state.receivers else { return [] }
            state.receivers = nil
            if case .success(let value) = outcome { state.value = value }
            return receivers
        }
        for receive in receivers { receive(outcome) }
    }
}

/// The lookups of many users: each by itself, so that it goes to a node that has the user, and a limited number at
/// the same time.
final class BatchLookup: Sendable {
    private struct State {
        var next = 0
        var runningCount = 0
        var profiles: [String: UserProfile] = [:]
        var failure: ProfileServerError?
        var isOver = false
    }

    private let userIDs: [String]
    private let limit: Int
    private let lookUp: @Sendable (String, @escaping Session.Receiver<UserProfile>) -> Void
    private let receive: Session.Receiver<[String: UserProfile]>
    private let state = Locked(State())

    /// Creates lookups.
    ///
    /// - Parameters:
    ///   - userIDs: The users, each once.
    ///   - limit: How many are looked up at the same time.
    ///   - lookUp: Looks a user up.
    ///   - receive: Receives the profiles, or the first failure.
    init(
        of userIDs: [String], limit: Int,
        _ lookUp: @escaping @Sendable (String, @escaping Session.Receiver<UserProfile>) -> Void,
        _ receive: @escaping Session.Receiver<[String: UserProfile]>
    ) {
        self.userIDs = userIDs
        self.limit = limit
        self.lookUp = lookUp
        self.receive = receive
    }

    /// Starts as many lookups as are allowed, and returns.
    func start() {
        state.withLock { $0.profiles.reserveCapacity(userIDs.count) }
        while let userID = state.withLock({ next(&$0) }) { start(userID) }
        endIfOver()
    }

    private func start(_ userID: String) {
        lookUp(userID) { found in
            let following: String? = self.state.withLock { state in
                state.runningCount -= 1
                switch found {
                case .success(let profile): state.profiles[userID] = profile
                case .failure(let error): state.failure = state.failure ?? error
                }
                return self.next(&state)
            }
            if let following { self.start(following) } else { self.endIfOver() }
        }
    }

    /// The next user to look up; nil if enough lookups are running, one has failed, or none is left.
    private func next(_ state: inout State) -> String? {
        guard state.failure == nil, state.runningCount < limit, state.next < userIDs.count else { return nil }
        state.runningCount += 1
        state.next += 1
        return userIDs[state.next - 1]
    }

    private func endIfOver() {
        let outcome: Result<[String: UserProfile], ProfileServerError>? = state.withLock { state in
            guard state.runningCount == 0, !state.isOver else { return nil }
            state.isOver = true
            return state.failure.map { .failure($0) } ?? .success(state.profiles)
        }
        if let outcome { receive(outcome) }
    }
}
