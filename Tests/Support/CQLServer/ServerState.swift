import LibC
import TurnoutClient

/// What all connections share, behind the lock of the server.
struct ServerState: Sendable {
    /// An event for the connections of the nodes that are up, but not for those of the node it is about.
    struct Event: Sendable {
        let kind: String
        let message: [UInt8]
        let subject: Int?
    }

    let credentials: CQLServer.Credentials?
    var port: UInt16 = 0
    var ring: Ring
    var database = Database()
    var faults: Faults
    var counts: [RequestCounts]
    /// The prepared statements of each node.
    var prepared: [[PreparedID: Plan]]
    /// Events that are not yet sent.
    var events: [Event] = []
    /// How far the clock is ahead of the system's, in microseconds.
    var clockOffset: Int64 = 0

    init(_ configuration: CQLServer.Configuration) {
        credentials = configuration.credentials
        ring = Ring(configuration.nodes)
        faults = Faults(nodes: configuration.nodes.count)
        counts = configuration.nodes.map { _ in RequestCounts() }
        prepared = configuration.nodes.map { _ in [:] }
    }

    /// Microseconds since 1970.
    var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000 + clockOffset
    }

    /// The plan of a statement.
    func plan(_ text: String, keyspace: String?) throws(CQLError) -> Plan {
        let (statement, names) = try Parser.parse(text)
        let table: TableName
        switch statement {
        case .use(let name):
            guard database.keyspaces[name] != nil || SystemTables.keyspaces.contains(name) else {
                throw .invalid("the keyspace \(name) does not exist")
            }
            return Plan(text: text, action: .use(name), table: TableName(keyspace: name, table: ""))
        case .select(let select): table = select.table.qualified(keyspace)
        case .insert(let insert): table = insert.table.qualified(keyspace)
        case .update(let update): table = update.table.qualified(keyspace)
        case .delete(let delete): table = delete.table.qualified(keyspace)
        case .createKeyspace, .dropKeyspace, .createTable, .addColumns, .dropTable, .truncate:
            return Plan(text: text, action: .definition(statement), table: TableName(keyspace: nil, table: ""))
        }
        if case .select(let select) = statement, let name = table.keyspace, name.hasPrefix("system") {
            return try systemPlan(select, table, text: text, names: names)
        }
        let index = try database.index(of: table)
        guard let rows = database.tables[index] else { throw .invalid("unconfigured table \(table.table)") }
        var planner = Planner(rows.table, index, text: text, names: names)
        return try planner.plan(statement)
    }

    /// A statement that is prepared on a node.
    mutating func prepare(_ text: String, keyspace: String?, node: Int) throws(CQLError) -> (PreparedID, Plan) {
        let plan = try plan(text, keyspace: keyspace)
        let id = PreparedID(text, keyspace: keyspace)
        prepared[node][id] = plan
        return (id, plan)
    }

    /// Changes the schema, and tells the drivers.
    mutating func define(_ statement: Statement, keyspace: String?) throws(CQLError) -> Database.Change? {
        guard let change = try database.define(statement, keyspace: keyspace) else { return nil }
        for node in prepared.indices {
            prepared[node] = prepared[node].filter { _, plan in
                plan.table.keyspace != change.keyspace || (change.table != nil && plan.table.table != change.table)
            }
        }
        announce("SCHEMA_CHANGE", subject: nil) { change.write(to: &$0) }
        return change
    }

    /// Sends an event to the connections that registered for it.
    mutating func announce(_ kind: String, subject: Int?, _ body: (inout FrameWriter) -> Void) {
        var writer = FrameWriter()
        writer.begin(.event, stream: -1)
        writer.string(kind)
        body(&writer)
        writer.end()
        events.append(Event(kind: kind, message: writer.bytes, subject: subject))
    }

    /// Sends an event about a node.
    mutating func announce(_ kind: String, _ change: String, node: Int) {
        let (address, port) = (ring[node].address, port)
        announce(kind, subject: node) {
            $0.string(change)
            $0.inet(address, port: port)
        }
    }
}

/// The id of a prepared statement: a hash of the keyspace and the text, the same on all nodes.
struct PreparedID: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ text: String, keyspace: String?) {
        (high, low) = Murmur3Partitioner.hash(Array((keyspace ?? "").utf8) + [0] + Array(text.utf8))
    }

    /// Nil if the bytes are no id of this server.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    var bytes: [UInt8] { Literal.bigEndian(high) + Literal.bigEndian(low) }
}

extension Database.Change {
    func write(to writer: inout FrameWriter) {
        writer.string(kind)
        writer.string(table == nil ? "KEYSPACE" : "TABLE")
        writer.string(keyspace)
        if let table { writer.string(table) }
    }
}
