import LibC
public import TurnoutClient
public import TurnoutEngine

/// Stores assignments in Cassandra, ScyllaDB or a service that speaks their protocol, shared by clients on many
/// machines.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.profiles = try .cassandra("cassandra://10.0.0.7,10.0.0.8/shop?dc=eu&ttl=90d")
/// ```
///
/// Each assignment is a row, so additions merge without a read: machines that decide for the same user at the same
/// time never lose each other's assignments. Of two assignments for one experiment, the one with the later time
/// wins, by the clocks of the machines that made them; an older write that arrives late changes nothing. Several
/// assignments of a user are written as a whole.
///
/// When a call returns, as many replicas have the data as ``CassandraOptions/consistency`` says. Unresponsive nodes
/// delay a call by at most ``CassandraOptions/timeout``. If no node responds, calls fail at once for pauses that
/// grow to some seconds: decisions are made without stored assignments, and the client logs that. Errors contain
/// neither user ids nor credentials.
///
/// The table is not created by the store; ``schema(for:)`` has the statement. Asynchronous decisions block no
/// thread while they wait.
public final class CassandraProfileStore: ProfileStore {
    /// The longest key of a partition or row, in bytes.
    private static let longestKey = 65_535

    private let options: CassandraOptions
    private let session: Session

    /// Creates a store, and loads the driver if this is the first one. It connects when the first user is looked
    /// up.
    ///
    /// - Parameters:
    ///   - options: The nodes, the table and the time limits.
    ///   - log: Where the driver reports nodes that fail. The driver has one log: that of the latest store.
    ///     Default: the standard error output.
    /// - Throws: `ProfileServerError` if the driver cannot be loaded, the options contradict each other, or a file
    ///   of ``CassandraOptions/tls`` cannot be used.
    public init(_ options: CassandraOptions, log: any Log = .standardError) throws {
        let options = try options.checked()
        self.options = options
        session = Session(try DriverCluster(Driver.load(options.library, log: log), options), options)
    }

    /// True: calls wait for nodes.
    public var isRemote: Bool { true }

    /// The stored assignments of a user.
    ///
    /// - Throws: `ProfileServerError` if not enough replicas responded.
    public func profile(of userID: String) throws -> UserProfile {
        let deadline = deadline
        return try wait { self.lookUp(userID, until: deadline, $0) }
    }

    /// The stored assignments of many users, ``CassandraOptions/concurrentLookups`` of them at the same time.
    ///
    /// - Throws: `ProfileServerError` if not enough replicas responded for one of them.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let (userIDs, deadline) = (userIDs.bySpelling.first ?? [], deadline)
        guard !userIDs.isEmpty else { return [:] }
        return try wait { (done: @escaping Session.Receiver<[String: UserProfile]>) in
            self.prepare(.lookup, until: deadline, done) { ready in
                BatchLookup(
                    of: userIDs, limit: self.options.concurrentLookups, { self.lookUp($0, ready, $1) }, done
                ).start()
            }
        }
    }

    /// Adds assignments to those of a user.
    ///
    /// - Throws: `ProfileServerError` if not enough replicas confirmed the write; with
    ///   `ProfileServerError.Code.deadlineExceeded` it may be stored nevertheless, then or later.
    public func save(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        // Late writes keep the time at which they were made.
        let time = AssignmentTime.next()
        try wait { self.write(assignments, of: userID, at: time, $0) }
    }

    /// Forgets a user. The cluster keeps a mark of the removal for the table's `gc_grace_seconds`.
    ///
    /// - Throws: `ProfileServerError` if not enough replicas confirmed the removal.
    public func forget(_ userID: String) throws {
        // Such a user cannot be stored.
        guard Self.key(of: userID).utf8.count <= Self.longestKey else { return }
        let (deadline, time) = (deadline, AssignmentTime.next())
        try wait { (done: @escaping Session.Receiver<Void>) in
            self.prepare(.removal, until: deadline, done) { ready in
                let request = DriverRequest(statement: ready.statement, texts: [Self.key(of: userID)])
                self.session.execute([request], ready, at: time) { done($0.map { _ in }) }
            }
        }
    }

    /// The number of stored users.
    ///
    /// - Throws: `ProfileServerError` if not enough replicas responded in time, to one of the requests for 5,000
    ///   users each.
    /// - Complexity: O(n), where n is the number of rows in the table, on all nodes.
    public var count: Int {
        get throws {
            var (count, page): (Int, DriverResult?) = (0, nil)
            repeat {
                let (deadline, previous) = (deadline, page)
                let next: DriverResult = try wait { done in
                    self.prepare(.userList, until: deadline, done) { ready in
                        let request = DriverRequest(statement: ready.statement)
                        self.session.execute([request], ready, after: previous, done)
                    }
                }
                count += next.count
                page = next.hasMore ? next : nil
            } while page != nil
            return count
        }
    }

    /// The statement in CQL that creates the table. A comment has one for the keyspace.
    ///
    /// - Parameter options: The options of a store; only keyspace, table and data center matter.
    /// - Returns: The statement.
    public static func schema(for options: CassandraOptions) -> String {
        """
        -- If the keyspace is missing, with three replicas in each data center:
        -- CREATE KEYSPACE "\(options.keyspace)" WITH replication =
        --     {'class': 'NetworkTopologyStrategy', '\(options.dataCenter ?? "datacenter1")': 3};
        CREATE TABLE \(TableStatement.table(options)) (
            user_id text,
            experiment_id text,
            variation_id text,
            PRIMARY KEY ((user_id), experiment_id)
        );
        """
    }

    // MARK: Requests

    private var deadline: ContinuousClock.Instant { .now.advanced(by: options.timeout) }

    private func lookUp(
        _ userID: String, until deadline: ContinuousClock.Instant, _ done: @escaping Session.Receiver<UserProfile>
    ) {
        prepare(.lookup, until: deadline, done) { self.lookUp(userID, $0, done) }
    }

    private func lookUp(_ userID: String, _ ready: Session.Ready, _ done: @escaping Session.Receiver<UserProfile>) {
        let key = Self.key(of: userID)
        guard key.utf8.count <= Self.longestKey else { return done(.success(UserProfile())) }
        readPage(of: key, ready, done)
    }

    /// Reads a page of a user's assignments, and those that follow.
    private func readPage(
        of key: String, _ ready: Session.Ready, after page: DriverResult? = nil,
        adding known: [String: String] = [:],
        _ done: @escaping Session.Receiver<UserProfile>
    ) {
        let request = DriverRequest(statement: ready.statement, texts: [key])
        session.execute([request], ready, after: page) { outcome in
            switch outcome {
            case .failure(let error): done(.failure(error))
            case .success(let result):
                var assignments = known
                result.add(to: &assignments)
                guard result.hasMore else { return done(.success(UserProfile(assignments))) }
                self.readPage(of: key, ready, after: result, adding: assignments, done)
            }
        }
    }

    private func write(
        _ assignments: [String: String], of userID: String, at time: Int64, _ done: @escaping Session.Receiver<Void>
    ) {
        let key = Self.key(of: userID)
        guard key.utf8.count <= Self.longestKey, assignments.count <= Self.longestKey,
            assignments.keys.allSatisfy({ $0.utf8.count <= Self.longestKey })
        else {
            let message = "an id has more than \(Self.longestKey) bytes, or there are more assignments than that"
            return done(.failure(ProfileServerError(.tooLarge, message)))
        }
        prepare(.write, until: deadline, done) { ready in
            let life = self.options.secondsToLive
            let requests = assignments.map {
                DriverRequest(statement: ready.statement, texts: [key, $0.key, $0.value], number: life)
            }
            self.session.execute(requests, ready, at: time) { done($0.map { _ in }) }
        }
    }

    /// Calls `body` with a statement that is ready, or `done` with the reason why there is none.
    private func prepare<Value>(
        _ statement: TableStatement, until deadline: ContinuousClock.Instant,
        _ done: @escaping Session.Receiver<Value>, _ body: @escaping @Sendable (Session.Ready) -> Void
    ) {
        session.prepare(statement, until: deadline) { ready in
            switch ready {
            case .success(let ready): body(ready)
            case .failure(let error): done(.failure(error))
            }
        }
    }

    /// The key of a user: the id, except that the key of a partition cannot be empty.
    private static func key(of userID: String) -> String {
        userID.utf8.first.map { $0 != 0 } == true ? userID : "\u{0}" + userID
    }

    // MARK: Waiting

    /// Blocks the thread until there is an outcome, at most until the time limit.
    private func wait<Value: Sendable>(_ start: (@escaping Session.Receiver<Value>) -> Void) throws -> Value {
        let outcome = OneShot<Result<Value, ProfileServerError>>()
        start { outcome.end($0) }
        guard let outcome = outcome.value(within: options.timeout) else { throw ProfileServerError.silent }
        return try outcome.get()
    }

    /// Suspends the task until there is an outcome. The time limits of the driver end it.
    private func awaited<Value: Sendable>(
        _ start: (@escaping Session.Receiver<Value>) -> Void
    ) async throws -> Value {
        let outcome = OneShot<Result<Value, ProfileServerError>>()
        start { outcome.end($0) }
        guard let outcome = await outcome.value() else { throw ProfileServerError.silent }
        return try outcome.get()
    }
}

extension CassandraProfileStore: AwaitableProfileStore {
    package func awaitProfile(of userID: String) async throws -> UserProfile {
        let deadline = deadline
        return try await awaited { self.lookUp(userID, until: deadline, $0) }
    }

    package func awaitSave(_ assignments: [String: String], for userID: String) async throws {
        guard !assignments.isEmpty else { return }
        let time = AssignmentTime.next()
        try await awaited { self.write(assignments, of: userID, at: time, $0) }
    }
}

extension ProfileStore where Self == CassandraProfileStore {
    /// A store in Cassandra, at a URL such as `cassandra://10.0.0.7,10.0.0.8/shop?dc=eu`; see
    /// ``CassandraOptions/init(url:)``.
    ///
    /// - Throws: `ProfileServerError` if the address cannot be used, or the driver cannot be loaded.
    public static func cassandra(_ url: String, log: any Log = .standardError) throws -> CassandraProfileStore {
        try CassandraProfileStore(CassandraOptions(url: url), log: log)
    }

    /// A store in Cassandra, with these options.
    ///
    /// - Throws: `ProfileServerError` if the options contradict each other, or the driver cannot be loaded.
    public static func cassandra(
        _ options: CassandraOptions, log: any Log = .standardError
    ) throws -> CassandraProfileStore {
        try CassandraProfileStore(options, log: log)
    }
}

/// The times by which Cassandra orders writes.
enum AssignmentTime {
    /// The time of the last assignment in this process, in microseconds. Shared, because several stores may write
    /// to one table.
    private static let last = Locked<Int64>(0)

    /// The current time in microseconds since 1970, later than every earlier one in this process: of two writes,
    /// the later one wins, even if the system's clock was set back in between.
    static func next() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        return last.withLock { last in
            last = max(last + 1, now)
            return last
        }
    }
}
