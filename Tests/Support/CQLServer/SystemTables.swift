/// A table that the server computes: its columns, and the values of its rows.
struct SystemTable {
    let columns: [ColumnDefinition]
    var rows: [[[UInt8]?]] = []

    init(_ columns: [(String, ColumnType)]) {
        self.columns = columns.map { ColumnDefinition(name: $0.0, type: $0.1) }
    }

    /// Adds a row; columns without a value are null.
    mutating func add(_ values: [String: SystemValue]) {
        rows.append(columns.map { values[$0.name]?.bytes })
    }
}

/// A value of a system table.
enum SystemValue {
    case text(String)
    case int(Int)
    case double(Double)
    case boolean(Bool)
    case bytes([UInt8])
    case texts([String])
    case map([String: String])

    var bytes: [UInt8] {
        switch self {
        case .text(let text): return Array(text.utf8)
        case .int(let value): return Literal.bigEndian(Int32(truncatingIfNeeded: value))
        case .double(let value): return Literal.bigEndian(value.bitPattern)
        case .boolean(let isTrue): return [isTrue ? 1 : 0]
        case .bytes(let bytes): return bytes
        case .texts(let texts):
            var writer = FrameWriter()
            writer.int(texts.count)
            for text in texts { writer.longBytes(Array(text.utf8)) }
            return writer.bytes
        case .map(let map):
            var writer = FrameWriter()
            writer.int(map.count)
            for (key, value) in map.sorted(by: { $0.key < $1.key }) {
                writer.longBytes(Array(key.utf8))
                writer.longBytes(Array(value.utf8))
            }
            return writer.bytes
        }
    }
}

/// The tables that drivers ask for when they connect.
struct SystemTables {
    static let keyspaces: Set<String> = ["system", "system_schema", "system_auth", "system_traces"]
    /// A version without virtual tables and without `system.peers_v2`.
    static let version = "3.11.17"

    let ring: Ring
    let node: Int
    let schemaVersion: [UInt8]
    let keyspaces: [Keyspace]
    let tables: [Table]

    /// A table; nil if there is none.
    func table(_ name: TableName) -> SystemTable? {
        switch (name.keyspace, name.table) {
        case ("system", "local"): local
        case ("system", "peers"): peers
        case ("system_schema", "keyspaces"): keyspaceTable
        case ("system_schema", "tables"): tableTable
        case ("system_schema", "columns"): columnTable
        case ("system_schema", let table): Self.emptyTables[table].map { SystemTable($0) }
        default: nil
        }
    }

    private func values(of node: Ring.Node) -> [String: SystemValue] {
        [
            "data_center": .text(node.dataCenter), "host_id": .bytes(node.hostID), "rack": .text(node.rack),
            "release_version": .text(Self.version), "rpc_address": .bytes(node.address),
            "schema_version": .bytes(schemaVersion), "tokens": .texts(node.tokens.map(String.init)),
        ]
    }

    private var local: SystemTable {
        var table = SystemTable([
            ("key", .text), ("bootstrapped", .text), ("broadcast_address", .inet), ("cluster_name", .text),
            ("cql_version", .text), ("data_center", .text), ("gossip_generation", .int), ("host_id", .uuid),
            ("listen_address", .inet), ("native_protocol_version", .text), ("partitioner", .text), ("rack", .text),
            ("release_version", .text), ("rpc_address", .inet), ("schema_version", .uuid),
            ("thrift_version", .text), ("tokens", .set(.text)), ("truncated_at", .map(.uuid, .blob)),
        ])
        let address = SystemValue.bytes(ring[node].address)
        let own: [String: SystemValue] = [
            "key": .text("local"), "bootstrapped": .text("COMPLETED"), "broadcast_address": address,
            "cluster_name": .text("Turnout tests"), "cql_version": .text(Self.languageVersion),
            "gossip_generation": .int(1), "listen_address": address, "native_protocol_version": .text("4"),
            "partitioner": .text(Murmur3Partitioner.name), "thrift_version": .text("20.1.0"),
        ]
        table.add(own.merging(values(of: ring[node])) { own, _ in own })
        return table
    }

    static let languageVersion = "3.4.4"

    private var peers: SystemTable {
        var table = SystemTable([
            ("peer", .inet), ("data_center", .text), ("host_id", .uuid), ("preferred_ip", .inet), ("rack", .text),
            ("release_version", .text), ("rpc_address", .inet), ("schema_version", .uuid), ("tokens", .set(.text)),
        ])
        for (index, peer) in ring.nodes.enumerated() where index != node {
            table.add(values(of: peer).merging(["peer": .bytes(peer.address)]) { value, _ in value })
        }
        return table
    }

    private var keyspaceTable: SystemTable {
        var table = SystemTable([
            ("keyspace_name", .text), ("durable_writes", .boolean), ("replication", .map(.text, .text)),
        ])
        let local = ["class": "org.apache.cassandra.locator.LocalStrategy"]
        let system = ["system", "system_schema"].map {
            Keyspace(name: $0, replication: local, hasDurableWrites: true)
        }
        for keyspace in system + keyspaces {
            var replication = keyspace.replication
            if let name = replication["class"], !name.contains(".") {
                replication["class"] = "org.apache.cassandra.locator.\(name)"
            }
            table.add([
                "keyspace_name": .text(keyspace.name), "durable_writes": .boolean(keyspace.hasDurableWrites),
                "replication": .map(replication),
            ])
        }
        return table
    }

    private static let tableOptions: [(String, ColumnType)] = [
        ("bloom_filter_fp_chance", .double), ("caching", .map(.text, .text)), ("comment", .text),
        ("compaction", .map(.text, .text)), ("compression", .map(.text, .text)), ("crc_check_chance", .double),
        ("dclocal_read_repair_chance", .double), ("default_time_to_live", .int), ("extensions", .map(.text, .blob)),
        ("flags", .set(.text)), ("gc_grace_seconds", .int), ("id", .uuid), ("max_index_interval", .int),
        ("memtable_flush_period_in_ms", .int), ("min_index_interval", .int), ("read_repair_chance", .double),
        ("speculative_retry", .text),
    ]

    private var tableTable: SystemTable {
        var result = SystemTable([("keyspace_name", .text), ("table_name", .text)] + Self.tableOptions)
        for table in tables {
            result.add([
                "keyspace_name": .text(table.keyspace), "table_name": .text(table.name),
                "bloom_filter_fp_chance": .double(0.01), "comment": .text(table.comment),
                "caching": .map(["keys": "ALL", "rows_per_partition": "NONE"]),
                "compaction": .map([
                    "class": "org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy",
                    "max_threshold": "32", "min_threshold": "4",
                ]),
                "compression": .map([
                    "chunk_length_in_kb": "64", "class": "org.apache.cassandra.io.compress.LZ4Compressor",
                ]),
                "crc_check_chance": .double(1), "dclocal_read_repair_chance": .double(0.1),
                "default_time_to_live": .int(table.timeToLive), "extensions": .map([:]),
                "flags": .texts(["compound"]), "gc_grace_seconds": .int(864_000), "id": .bytes(table.id),
                "max_index_interval": .int(2048), "memtable_flush_period_in_ms": .int(0),
                "min_index_interval": .int(128), "read_repair_chance": .double(0),
                "speculative_retry": .text("99PERCENTILE"),
            ])
        }
        return result
    }

    private var columnTable: SystemTable {
        var result = SystemTable([
            ("keyspace_name", .text), ("table_name", .text), ("column_name", .text), ("clustering_order", .text),
            ("column_name_bytes", .blob), ("kind", .text), ("position", .int), ("type", .text),
        ])
        for table in tables {
            for place in table.allPlaces {
                let column = table.column(at: place)
                let (kind, position, order) =
                    switch place {
                    case .partition(let index): ("partition_key", index, "none")
                    case .clustering(let index): ("clustering", index, table.descending[index] ? "desc" : "asc")
                    case .regular: ("regular", -1, "none")
                    }
                result.add([
                    "keyspace_name": .text(table.keyspace), "table_name": .text(table.name),
                    "column_name": .text(column.name), "clustering_order": .text(order),
                    "column_name_bytes": .text(column.name), "kind": .text(kind), "position": .int(position),
                    "type": .text(column.type.name),
                ])
            }
        }
        return result
    }

    /// Tables of what this server has none of.
    private static let emptyTables: [String: [(String, ColumnType)]] = [
        "aggregates": [
            ("keyspace_name", .text), ("aggregate_name", .text), ("argument_types", .list(.text)),
            ("final_func", .text), ("initcond", .text), ("return_type", .text), ("state_func", .text),
            ("state_type", .text),
        ],
        "functions": [
            ("keyspace_name", .text), ("function_name", .text), ("argument_types", .list(.text)),
            ("argument_names", .list(.text)), ("body", .text), ("called_on_null_input", .boolean),
            ("language", .text), ("return_type", .text),
        ],
        "indexes": [
            ("keyspace_name", .text), ("table_name", .text), ("index_name", .text), ("kind", .text),
            ("options", .map(.text, .text)),
        ],
        "triggers": [
            ("keyspace_name", .text), ("table_name", .text), ("trigger_name", .text),
            ("options", .map(.text, .text)),
        ],
        "types": [
            ("keyspace_name", .text), ("type_name", .text), ("field_names", .list(.text)),
            ("field_types", .list(.text)),
        ],
        "views": [
            ("keyspace_name", .text), ("view_name", .text), ("base_table_id", .uuid), ("base_table_name", .text),
            ("include_all_columns", .boolean), ("where_clause", .text),
        ] + tableOptions,
    ]
}
