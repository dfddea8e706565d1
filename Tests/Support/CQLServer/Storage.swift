/// The rows of a table, in memory.
struct TableRows: Sendable {
    /// The place of a partition in a scan.
    struct Position: Sendable, Comparable {
        let token: Int64
        let key: [UInt8]

        static func < (left: Position, right: Position) -> Bool {
            left.token != right.token ? left.token < right.token : left.key.lexicographicallyPrecedes(right.key)
        }
    }

    var table: Table
    private(set) var partitions: [[UInt8]: Partition] = [:]
    private var positions: [Position] = []
    /// Partitions that are not yet sorted in.
    private var newPositions: [Position] = []

    init(_ table: Table) { self.table = table }

    /// All partitions in the order of their tokens.
    var sortedPositions: [Position] {
        mutating get {
            guard !newPositions.isEmpty else { return positions }
            positions += newPositions
            newPositions = []
            // Two sorted runs after the first time, of which the sort makes one merge.
            positions.sort()
            return positions
        }
    }

    mutating func write(_ write: RowWrite, at second: Int64) {
        let key = table.partitionBytes(write.partition)
        if partitions[key] == nil {
            let token = Murmur3Partitioner.token(of: key)
            partitions[key] = Partition(token: token, components: write.partition)
            newPositions.append(Position(token: token, key: key))
        }
        partitions[key]?.apply(write, in: table, at: second)
    }

    mutating func read(_ reading: inout Reading) throws(CQLError) -> ResultPage { try reading.run(on: &self) }

    mutating func add(_ columns: [ColumnDefinition]) throws(CQLError) {
        table = try table.adding(columns)
        for key in partitions.keys { partitions[key]?.widen(by: columns.count) }
    }

    mutating func removeAll() { self = TableRows(table) }
}

/// One change of a row or a partition, with its values.
struct RowWrite: Sendable {
    enum Kind: Sendable {
        /// Also keeps the row when its values are deleted.
        case insert
        case update
        case deleteRow
        case deletePartition
    }

    let kind: Kind
    let partition: [[UInt8]]
    let clustering: [[UInt8]]
    /// Nil deletes the value.
    let values: [(index: Int, value: [UInt8]?)]
    let timestamp: Int64
    /// Seconds; 0: none.
    let timeToLive: Int
}

extension Partition {
    fileprivate mutating func apply(_ write: RowWrite, in table: Table, at second: Int64) {
        if case .deletePartition = write.kind { return delete(until: write.timestamp) }
        let index = place(of: write.clustering, in: table)
        func cell(_ value: [UInt8]?) -> Cell {
            guard value != nil, write.timeToLive > 0 else { return Cell(value: value, timestamp: write.timestamp) }
            return Cell(
                value: value, timestamp: write.timestamp, timeToLive: write.timeToLive,
                expiry: second + Int64(write.timeToLive))
        }
        switch write.kind {
        case .deletePartition: break
        case .deleteRow: rows[index].deletion = max(rows[index].deletion, write.timestamp)
        case .insert, .update:
            if case .insert = write.kind { rows[index].mark(cell([]), second: second) }
            for (column, value) in write.values { rows[index].write(cell(value), at: column, second: second) }
        }
    }

    fileprivate mutating func widen(by count: Int) {
        for index in rows.indices { rows[index].cells += Array(repeating: nil, count: count) }
    }
}
