import TurnoutClient

/// What a server asks an engine. Copies of an event count once.
package enum EngineQuery: Sendable {
    /// Visitor, variation, client, version, and the time of the visitor's first exposure with these.
    case exposures(ExposureSelection)
    /// Of the exposures among those: visitor and attributes, at least where one of some names appears in them.
    case attributes(ExposureSelection, names: [String])
    /// Variation, and the numbers of exposures of the experiment that are not selected: those with a corrected time,
    /// before the start, and after the end.
    case leftOut(ExposureSelection)
    /// The visitors of a project whose variation was forced.
    case forced(projectID: String)
    /// Visitor, time, 1 if the time was corrected, revenue, and value; 0 for what is absent.
    case conversions(ConversionSelection)
    /// Visitor, time, kind, variation, 1 with a revenue, revenue, 1 with a value, and value: the events of one visitor
    /// after another, each visitor's in the order of their times.
    case outcomes(RuleOutcomes)
    /// The number of conversions of visitors, and their revenue.
    case totals([Int64], ConversionSelection)
    /// A number that differs after each change.
    case progress

    /// The kinds of the columns.
    var kinds: [EngineResult.Kind] {
        switch self {
        case .exposures: [.integer, .text, .text, .text, .integer]
        case .attributes: [.integer, .text]
        case .leftOut: [.text, .integer, .integer, .integer]
        case .forced, .progress: [.integer]
        case .conversions: [.integer, .integer, .integer, .integer, .double]
        case .outcomes: [.integer, .integer, .integer, .text, .integer, .integer, .integer, .double]
        case .totals: [.integer, .double]
        }
    }

    /// Whether each server has exactly one row.
    var hasOneRow: Bool {
        switch self {
        case .totals, .progress: true
        default: false
        }
    }

    /// The longest time for the rows. Requests of clients wait for totals, and results ask for the progress first.
    var limit: Duration {
        switch self {
        case .totals: .seconds(2)
        case .progress: .seconds(10)
        default: .seconds(300)
        }
    }
}

/// The exposures of an experiment to a variation, except those with a corrected time.
package struct ExposureSelection: Sendable, Equatable {
    package var projectID: String
    package var experimentID: String
    /// The first time, in milliseconds since 1970. Default: nil, that of the first exposure.
    package var start: Int64?
    /// The time after the last one. Default: nil, there is no end.
    package var end: Int64?

    package init(projectID: String, experimentID: String, start: Int64? = nil, end: Int64? = nil) {
        (self.projectID, self.experimentID, self.start, self.end) = (projectID, experimentID, start, end)
    }
}

/// The rows that an engine found.
package struct EngineResult: Sendable {
    /// What the values of a column are.
    enum Kind { case integer, double, text }

    /// Some of the rows, by column.
    struct Block: Sendable {
        let count: Int
        let columns: [Column]

        var rows: Range<Int> { 0..<count }

        func integers(_ column: Int) -> [Int64] { columns[column].integers }
        func doubles(_ column: Int) -> [Double] { columns[column].doubles }
        func texts(_ column: Int) -> EngineTexts { columns[column].texts }
    }

    /// The values of a column, which are of one kind.
    struct Column: Sendable {
        var integers: [Int64] = []
        var doubles: [Double] = []
        var texts = EngineTexts()
    }

    /// All have the columns of the query, and none is empty.
    private(set) var blocks: [Block] = []

    var count: Int { blocks.reduce(0) { $0 + $1.count } }

    /// Adds rows with the same columns.
    mutating func append(_ other: EngineResult) { blocks += other.blocks }

    mutating func append(_ columns: [Column], count: Int) {
        if count > 0 { blocks.append(Block(count: count, columns: columns)) }
    }
}

extension EventEngine {
    /// The rows that a query finds. Blocks the thread, at most for the query's limit: not for tasks.
    func rows(of query: EngineQuery) throws -> EngineResult {
        let end = OneShot<Result<EngineResult, EngineError>>()
        let task = Task {
            do throws(EngineError) { end.end(.success(try await result(of: query))) } catch { end.end(.failure(error)) }
        }
        guard let result = end.value(within: query.limit) else {
            task.cancel()
            throw EngineError.failed("\(description): no answer within \(query.limit.logText)")
        }
        return try result.get()
    }
}

extension EngineResult {
    /// Calls a function with each outcome of a rule.
    func forEachOutcome(_ body: (RuleOutcome) -> Void) {
        for block in blocks {
            let (visitors, kinds, arms) = (block.integers(0), block.integers(2), block.texts(3))
            let (hasRevenue, revenues) = (block.integers(4), block.integers(5))
            let (hasValue, values) = (block.integers(6), block.doubles(7))
            for row in block.rows {
                let kind =
                    kinds[row] == Int64(EngineRow.Kind.exposure.rawValue)
                    ? RuleOutcome.Kind.exposure(variationID: arms[row])
                    : .conversion(
                        revenue: hasRevenue[row] == 1 ? revenues[row] : nil,
                        value: hasValue[row] == 1 ? values[row] : nil)
                body(RuleOutcome(visitor: visitors[row], kind))
            }
        }
    }

    /// The totals of visitors, one row from each server.
    var totals: ConversionTotals {
        var totals = ConversionTotals()
        for block in blocks {
            for row in block.rows { totals.add(Int(block.integers(0)[row]), sum: block.doubles(1)[row]) }
        }
        return totals
    }
}
