/// A keyspace: how its rows are replicated.
struct Keyspace: Sendable {
    let name: String
    let replication: [String: String]
    let hasDurableWrites: Bool

    /// The number of replicas in each data center; `""`: in any.
    let replicas: [String: Int]

    init(name: String, replication: [String: String], hasDurableWrites: Bool) {
        self.name = name
        self.replication = replication
        self.hasDurableWrites = hasDurableWrites
        if replication["class"]?.hasSuffix("NetworkTopologyStrategy") == true {
            replicas = replication.filter { $0.key != "class" }.compactMapValues { Int($0) }
        } else {
            replicas = ["": replication["replication_factor"].flatMap { Int($0) } ?? 1]
        }
    }
}

/// A table's columns.
final class Table: Sendable {
    enum Place: Sendable, Equatable {
        case partition(Int)
        case clustering(Int)
        case regular(Int)
    }

    let keyspace: String
    let name: String
    /// Sixteen bytes.
    let id: [UInt8]
    let partitionKey: [ColumnDefinition]
    let clusteringKey: [ColumnDefinition]
    /// Whether each clustering column is in descending order.
    let descending: [Bool]
    /// In the order of a row's cells: that of the definition, later ones at the end.
    let regular: [ColumnDefinition]
    let timeToLive: Int
    let comment: String

    init(
        keyspace: String, name: String, id: [UInt8], partitionKey: [ColumnDefinition],
        clusteringKey: [ColumnDefinition], descending: [Bool], regular: [ColumnDefinition], timeToLive: Int,
        comment: String
    ) {
        self.keyspace = keyspace
        self.name = name
        self.id = id
        self.partitionKey = partitionKey
        self.clusteringKey = clusteringKey
        self.descending = descending
        self.regular = regular
        self.timeToLive = timeToLive
        self.comment = comment
    }

    /// Creates a table as it is defined.
    convenience init(_ definition: CreateTable, keyspace: String, id: [UInt8]) throws(CQLError) {
        var columns: [String: ColumnDefinition] = [:]
        for column in definition.columns {
            guard columns.updateValue(column, forKey: column.name) == nil else {
                throw .invalid("the column \(column.name) is there twice")
            }
        }
        guard !definition.partitionKey.isEmpty else { throw .invalid("the table has no primary key") }
        func key(_ names: [String]) throws(CQLError) -> [ColumnDefinition] {
            var key: [ColumnDefinition] = []
            for name in names {
                guard let column = columns[name] else { throw .invalid("the key's column \(name) is not defined") }
                key.append(column)
            }
            return key
        }
        let names = definition.partitionKey + definition.clusteringKey
        self.init(
            keyspace: keyspace, name: definition.name.table, id: id,
            partitionKey: try key(definition.partitionKey), clusteringKey: try key(definition.clusteringKey),
            descending: definition.clusteringKey.map(definition.descending.contains),
            regular: definition.columns.filter { !names.contains($0.name) },
            timeToLive: definition.timeToLive, comment: definition.comment)
    }

    /// The table with more columns.
    func adding(_ columns: [ColumnDefinition]) throws(CQLError) -> Table {
        for column in columns where place(of: column.name) != nil {
            throw .invalid("the column \(column.name) exists already")
        }
        return Table(
            keyspace: keyspace, name: name, id: id, partitionKey: partitionKey, clusteringKey: clusteringKey,
            descending: descending, regular: regular + columns, timeToLive: timeToLive, comment: comment)
    }

    func place(of column: String) -> Place? {
        if let index = partitionKey.firstIndex(where: { $0.name == column }) { return .partition(index) }
        if let index = clusteringKey.firstIndex(where: { $0.name == column }) { return .clustering(index) }
        return regular.firstIndex { $0.name == column }.map { .regular($0) }
    }

    func column(at place: Place) -> ColumnDefinition {
        switch place {
        case .partition(let index): partitionKey[index]
        case .clustering(let index): clusteringKey[index]
        case .regular(let index): regular[index]
        }
    }

    /// The places of all columns in the order of `SELECT *`: the key's, then the others by name.
    var allPlaces: [Place] {
        let others = regular.indices.sorted { regular[$0].name < regular[$1].name }
        return partitionKey.indices.map { .partition($0) } + clusteringKey.indices.map { .clustering($0) }
            + others.map { .regular($0) }
    }

    /// The key of a partition as one value, as the partitioner hashes it.
    func partitionBytes(_ components: [[UInt8]]) -> [UInt8] {
        if components.count == 1 { return components[0] }
        var writer = FrameWriter()
        for component in components {
            writer.shortBytes(component)
            writer.byte(0)
        }
        return writer.bytes
    }

    /// Whether a row comes before another of the same partition.
    func isBefore(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool {
        for index in clusteringKey.indices where left[index] != right[index] {
            return clusteringKey[index].type.isLess(left[index], right[index]) != descending[index]
        }
        return false
    }
}

/// A column as the metadata of a message names it.
struct ColumnSpecification: Sendable, Equatable {
    let name: String
    let type: ColumnType
}
