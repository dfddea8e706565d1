import Foundation
import TestProcesses

/// A cluster with the table of a store, on 127.0.0.1, 127.0.0.2 and so on: a process of `python3`, which ends with
/// the test. Its nodes know the statements of the store, and are numbered from 0.
final class TestCluster: Sendable {
    struct Configuration: Encodable {
        /// Those of the nodes.
        var dataCenters = ["dc1", "dc1", "dc1"]
        /// The number in each data center.
        var replicas = 3
        /// What drivers must authenticate with, if anything.
        var user: String?
        var password: String?
        /// The files of TLS, if connections are encrypted.
        var certificate: String?
        var key: String?
        /// What the certificates of clients must be signed with, if they need one.
        var authorities: String?
    }

    /// What a node does with a request instead of answering it.
    enum Fault: String {
        case unavailable, overloaded, bootstrapping, serverError, invalid, syntax, unauthorized
        case readTimeout, readFailure, writeTimeout, writeFailure
        /// The write is there, although the answer says that it may not be.
        case appliedWriteTimeout
        /// No answer ever.
        case silence
        /// No answer ever. The write is there.
        case appliedSilence
        /// The connection ends in the middle of the answer. The write is there.
        case disconnection
    }

    /// The requests that a node has got.
    struct Counts: Decodable {
        let reads: Int
        /// A batch is one.
        let writes: Int
        let preparations: Int
    }

    struct StoredAssignment: Decodable {
        let experiment: String
        let variation: String
        /// Microseconds since 1970.
        let time: Int64
        /// The seconds that are left, if it expires.
        let life: Int?
    }

    /// The numbers of the nodes.
    let nodes: Range<Int>
    let port: Int
    private let process: ChildProcess
    private let calls = Locked(())

    /// Starts a cluster; by default of three nodes, each of which has all users.
    init(_ configuration: Configuration = Configuration(), hasTable: Bool = true) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let program = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../cql_server").path
        let text = String(decoding: try encoder.encode(configuration), as: UTF8.self)
        process = try ChildProcess("python3", ["-I", "-S", "-B", program, text], output: .pipe, errors: .inherited)
        guard let port = Int(try process.readLine()) else { throw TestFailure() }
        self.port = port
        nodes = configuration.dataCenters.indices
        if hasTable { try createTable() }
    }

    deinit { process.end() }

    // MARK: - Stores

    /// Options for the cluster, with time limits for a busy machine.
    var options: CassandraOptions {
        var options = CassandraOptions(hosts: nodes.map { "127.0.0.\($0 + 1)" }, keyspace: "shop")
        options.port = port
        options.timeout = .seconds(60)
        options.connectTimeout = .seconds(60)
        options.library = TestDriver.library
        return options
    }

    /// A store in the cluster.
    func store(
        log: any Log = .silent, _ change: (inout CassandraOptions) -> Void = { _ in }
    ) throws -> CassandraProfileStore {
        var options = options
        change(&options)
        return try CassandraProfileStore(options, log: log)
    }

    /// The address of a store in the cluster.
    func address(_ parameters: String = "") -> String {
        "cassandra://\(options.hosts.joined(separator: ",")):\(port)/shop?timeout=60s&connect-timeout=60s"
            + "&library=\(TestDriver.library ?? "")\(parameters)"
    }

    // MARK: - Rows

    /// Creates the table as `turnout profiles schema` prints it.
    func createTable() throws { try call("create_table", CassandraProfileStore.schema(for: options)) }

    func truncate() throws { try call("truncate") }

    /// Adds an assignment as another program does, at a time in microseconds since 1970.
    func insert(_ variation: String, of experiment: String, for user: String, at time: Int64) throws {
        try call("insert", user, experiment, variation, time)
    }

    /// The assignments of a user, in the order of their experiments.
    func rows(of user: String) throws -> [StoredAssignment] {
        try JSONDecoder().decode([StoredAssignment].self, from: call("rows", user))
    }

    /// Moves the clock by which assignments expire.
    func advanceClock(by seconds: Int) throws { try call("advance_clock", seconds) }

    // MARK: - Faults

    /// Makes the next requests for rows fail, those that another fault does not wait for.
    func fail(_ fault: Fault, times: Int, onlyWrites: Bool = false) throws {
        try call("fail", fault.rawValue, times, onlyWrites)
    }

    /// Delays the answers of a node, or of all, except those to the driver's own queries.
    func delay(milliseconds: Int, node: Int? = nil) throws { try call("delay", Double(milliseconds) / 1_000, node) }

    /// Ends delays, and removes the faults that still wait.
    func removeFaults() throws { try call("remove_faults") }

    /// Closes the port and the connections of a node, or of all.
    func takeDown(_ node: Int? = nil) throws { try call("take_down", node) }

    /// Opens the port again.
    func bringUp(_ node: Int? = nil) throws { try call("bring_up", node) }

    /// Makes all nodes read and answer nothing, as processes that are stopped. Their ports stay open.
    func pause() throws { try call("pause") }

    /// Makes all nodes answer again, also what came in the meantime.
    func resume() throws { try call("resume") }

    /// Makes nodes forget their prepared statements, as a restart does.
    func forgetPrepared() throws { try call("forget_prepared") }

    // MARK: - Counts

    /// The requests that each node has got since the start or the last ``resetCounts()``.
    var counts: [Counts] { get throws { try JSONDecoder().decode([Counts].self, from: call("counts")) } }

    var writeCount: Int { get throws { try counts.reduce(0) { $0 + $1.writes } } }

    var readCount: Int { get throws { try counts.reduce(0) { $0 + $1.reads } } }

    func resetCounts() throws { try call("reset_counts") }

    /// Calls a function of the server, and returns its result in JSON.
    @discardableResult private func call(_ name: String, _ arguments: Any?...) throws -> Data {
        let line = try JSONSerialization.data(withJSONObject: [name] + arguments.map { $0 ?? NSNull() })
        let result = try calls.withLock { _ in
            try process.write(line + Data("\n".utf8))
            return try process.readLine()
        }
        guard !result.isEmpty else { throw TestFailure() }
        return Data(result.utf8)
    }
}

/// The server of a cluster has not started, or has failed.
struct TestFailure: Error {}

/// The code of an error; nil for other errors, and for those that name a user or a secret.
func code(_ error: any Error) -> ProfileServerError.Code? {
    let text = "\(error)"
    return ["lovelace", "s3cret"].contains(where: text.contains) ? nil : (error as? ProfileServerError)?.code
}
