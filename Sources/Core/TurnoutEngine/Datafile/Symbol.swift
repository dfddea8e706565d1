/// A string of the datafile, as an index into the project's ``SymbolTable``. Equal strings have equal symbols.
struct Symbol: Hashable, Sendable {
    let index: UInt32

    /// Represents an absent optional string.
    static let none = Symbol(index: .max)
    /// The empty string, the first symbol of every table.
    static let empty = Symbol(index: 0)
}

/// A run of adjacent rows in one of the project's tables.
///
/// Tables and runs replace an array per entity, so a datafile of 2.6 MB loads with a few hundred allocations.
struct Rows: Sendable {
    let first: Int32
    private(set) var count: Int32

    static let none = Rows(first: 0, count: 0)

    init(first: Int32, count: Int32) {
        self.first = first
        self.count = count
    }

    /// The rows appended to a table since it had `start` rows.
    init(from start: Int, to end: Int) { self.init(first: Int32(start), count: Int32(end - start)) }

    var isEmpty: Bool { count == 0 }
    var range: Range<Int> { Int(first)..<Int(first + count) }
    var last: Int? { isEmpty ? nil : Int(first + count - 1) }
}
