import TurnoutClient

/// A value of a row.
package enum CQLValue: Sendable, Equatable, CustomStringConvertible {
    case null
    case text(String)
    /// Also a number of milliseconds.
    case number(Int64)
    case bytes([UInt8])

    init(_ bytes: [UInt8]?, _ type: ColumnType) {
        guard let bytes else {
            self = .null
            return
        }
        switch type {
        case .text, .ascii: self = .text(String(decoding: bytes, as: UTF8.self))
        case .int: self = .number(Int64(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) })))
        case .bigint, .timestamp: self = .number(Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) }))
        case .boolean: self = .number(bytes == [1] ? 1 : 0)
        default: self = .bytes(bytes)
        }
    }

    package var description: String {
        switch self {
        case .null: "null"
        case .text(let text): text
        case .number(let number): "\(number)"
        case .bytes(let bytes): "\(bytes)"
        }
    }
}

extension CQLServer {
    /// Runs a statement without a driver, and returns its rows by the names of the columns. Neither counted nor
    /// delayed, and without faults.
    ///
    /// - Parameter statement: A statement without markers, with the keyspace before the table.
    /// - Returns: The rows; empty unless it is a query.
    /// - Throws: `Failure` with the error that a driver would get.
    @discardableResult
    package func run(_ statement: String) throws -> [[String: CQLValue]] {
        defer { shared.wake() }
        do throws(CQLError) {
            return try shared.state.withLock { state throws(CQLError) in try state.run(statement) }
        } catch {
            throw Failure(description: error.message)
        }
    }
}

extension ServerState {
    /// Runs a statement without markers.
    mutating func run(_ statement: String) throws(CQLError) -> [[String: CQLValue]] {
        let plan = try plan(statement, keyspace: nil)
        let page: ResultPage
        switch plan.action {
        case .use: return []
        case .definition(let statement):
            _ = try define(statement, keyspace: nil)
            return []
        case .write(let write):
            for row in try write.writes([], timestamp: now) {
                database.write(row, to: write.tableIndex, at: now / 1_000_000)
            }
            return []
        case .system(let select): page = try systemPage(select, [], node: 0)
        case .read(let read):
            var reading = try Reading(read, values: [], pageSize: nil, start: nil, second: now / 1_000_000)
            page = try database.read(&reading, from: read.tableIndex) ?? ResultPage()
        }
        var reader = FrameReader(page.rows.bytes)
        var rows: [[String: CQLValue]] = []
        for _ in 0..<page.count {
            var row: [String: CQLValue] = [:]
            for column in plan.columns { row[column.name] = CQLValue(try reader.longBytes(), column.type) }
            rows.append(row)
        }
        return rows
    }
}
