/// A statement whose names are looked up, ready to run with the values of its markers.
final class Plan: Sendable {
    enum Action: Sendable {
        case read(ReadPlan)
        case write(WritePlan)
        /// A table of the system's, which depends on the node.
        case system(Select)
        case definition(Statement)
        case use(String)
    }

    let text: String
    let action: Action
    /// The keyspace and table of the markers and columns.
    let table: TableName
    let markers: [ColumnSpecification]
    /// The markers of the partition key's columns, in order; empty if not all are markers.
    let keyMarkers: [Int]
    /// The columns of the result.
    let columns: [ColumnSpecification]

    init(
        text: String, action: Action, table: TableName, markers: [ColumnSpecification] = [], keyMarkers: [Int] = [],
        columns: [ColumnSpecification] = []
    ) {
        self.text = text
        self.action = action
        self.table = table
        self.markers = markers
        self.keyMarkers = keyMarkers
        self.columns = columns
    }

    var isWrite: Bool { if case .write = action { true } else { false } }
}

/// A constant as bytes, or a marker.
enum PlannedTerm: Sendable {
    case value(BoundValue)
    case marker(Int)

    func bound(_ values: [BoundValue]) -> BoundValue {
        switch self {
        case .value(let value): value
        case .marker(let index): values[index]
        }
    }
}

/// What a column is compared with.
struct Condition: Sendable {
    let place: Table.Place
    let column: ColumnDefinition
    let comparison: Relation.Comparison
    let terms: [PlannedTerm]

    /// The values to compare with.
    func bound(_ values: [BoundValue]) throws(CQLError) -> [[UInt8]] {
        var result: [[UInt8]] = []
        for term in terms {
            guard case .bytes(let bytes) = term.bound(values) else {
                throw .invalid("the condition for the column \(column.name) has no value")
            }
            if comparison == .isInList { result += try Self.elements(bytes) } else { result.append(bytes) }
        }
        for value in result { try column.type.check(value) }
        return result
    }

    private static func elements(_ bytes: [UInt8]) throws(CQLError) -> [[UInt8]] {
        var reader = FrameReader(bytes)
        var elements: [[UInt8]] = []
        for _ in 0..<max(0, try reader.int()) {
            guard let element = try reader.longBytes() else { throw .invalid("an element of a list is null") }
            elements.append(element)
        }
        return elements
    }

    /// Whether a value meets the condition.
    func isMet(by value: [UInt8], _ bound: [[UInt8]]) -> Bool {
        switch comparison {
        case .equal, .isIn, .isInList: bound.contains(value)
        case .less: column.type.isLess(value, bound[0])
        case .lessOrEqual: !column.type.isLess(bound[0], value)
        case .greater: column.type.isLess(bound[0], value)
        case .greaterOrEqual: !column.type.isLess(value, bound[0])
        }
    }
}

/// A `SELECT`.
struct ReadPlan: Sendable {
    enum Output: Sendable, Equatable {
        case column(Table.Place)
        case writeTime(Int)
        case timeToLive(Int)
        case token
        case count
    }

    /// The index in the tables of the server.
    let tableIndex: Int
    let table: Table
    let outputs: [Output]
    /// One for each column of the partition key; empty: a scan.
    let keys: [Condition]
    let tokenBounds: [(comparison: Relation.Comparison, term: PlannedTerm)]
    /// Conditions of other columns.
    let filters: [Condition]
    let limit: PlannedTerm?
    let isReversed: Bool
    let isDistinct: Bool

    var isCount: Bool { outputs.contains(.count) }
}

/// An `INSERT`, `UPDATE` or `DELETE`.
struct WritePlan: Sendable {
    let tableIndex: Int
    let table: Table
    let kind: RowWrite.Kind
    let keys: [Condition]
    let clustering: [Condition]
    let values: [(index: Int, term: PlannedTerm)]
    let timestamp: PlannedTerm?
    let timeToLive: PlannedTerm?
}
