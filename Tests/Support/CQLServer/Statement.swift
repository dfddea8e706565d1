/// A statement as it is written, before its names are looked up.
enum Statement: Sendable, Equatable {
    case use(String)
    case createKeyspace(CreateKeyspace)
    case dropKeyspace(String, ifExists: Bool)
    case createTable(CreateTable)
    case addColumns(TableName, [ColumnDefinition])
    case dropTable(TableName, ifExists: Bool)
    case truncate(TableName)
    case select(Select)
    case insert(Insert)
    case update(Update)
    case delete(Delete)
}

/// The name of a table; without a keyspace, that of the connection.
struct TableName: Hashable, Sendable {
    var keyspace: String?
    let table: String
}

struct CreateKeyspace: Sendable, Equatable {
    let name: String
    let ifNotExists: Bool
    var replication: [String: String]
    var hasDurableWrites = true
}

struct ColumnDefinition: Sendable, Equatable {
    let name: String
    let type: ColumnType
}

struct CreateTable: Sendable, Equatable {
    let name: TableName
    let ifNotExists: Bool
    var columns: [ColumnDefinition] = []
    var partitionKey: [String] = []
    var clusteringKey: [String] = []
    /// Clustering columns in descending order.
    var descending: Set<String> = []
    /// The default time to live in seconds; 0: none.
    var timeToLive = 0
    var comment = ""
}

struct Select: Sendable, Equatable {
    enum Selector: Sendable, Equatable {
        case column(String)
        case writeTime(String)
        case timeToLive(String)
        case token([String])
        case count
    }

    struct Selection: Sendable, Equatable {
        let selector: Selector
        let alias: String?
    }

    var table = TableName(keyspace: nil, table: "")
    var isDistinct = false
    /// Empty: all columns.
    var selections: [Selection] = []
    var relations: [Relation] = []
    var limit: Term?
    /// The first column to order by, and whether in descending order.
    var order: (column: String, isDescending: Bool)?
    var allowsFiltering = false

    static func == (left: Select, right: Select) -> Bool {
        left.table == right.table && left.isDistinct == right.isDistinct && left.selections == right.selections
            && left.relations == right.relations && left.limit == right.limit
            && left.order?.column == right.order?.column && left.order?.isDescending == right.order?.isDescending
            && left.allowsFiltering == right.allowsFiltering
    }
}

/// A condition of a `WHERE` clause.
struct Relation: Sendable, Equatable {
    enum Subject: Sendable, Equatable {
        case column(String)
        case token([String])
    }

    enum Comparison: String, Sendable {
        case equal = "="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        /// One of the terms.
        case isIn = "in"
        /// One of the elements of a list that is bound to the only term.
        case isInList = "in ?"
    }

    let subject: Subject
    let comparison: Comparison
    let terms: [Term]
}

/// The `USING` clause.
struct Using: Sendable, Equatable {
    var timeToLive: Term?
    var timestamp: Term?
}

struct Insert: Sendable, Equatable {
    let table: TableName
    let columns: [String]
    let values: [Term]
    let using: Using
}

struct Update: Sendable, Equatable {
    struct Assignment: Sendable, Equatable {
        let column: String
        let value: Term
    }

    let table: TableName
    let assignments: [Assignment]
    let relations: [Relation]
    let using: Using
}

struct Delete: Sendable, Equatable {
    let table: TableName
    /// Empty: whole rows.
    let columns: [String]
    let relations: [Relation]
    let using: Using
}
