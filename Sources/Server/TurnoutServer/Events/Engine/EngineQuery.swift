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

    /// The longest time for the rows. Requests of clients wait for totals.
    var limit: Duration {
        if case .totals = self { .seconds(2) } else { .seconds(300) }
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

/// The rows that an engine found, by column.
package struct EngineResult: Sendable {
    /// The values of a column, which are of one type.
    struct Column: Sendable {
        var integers: [Int64] = []
        var doubles: [Double] = []
        var texts: [String] = []
    }

    package private(set) var count = 0
    private(set) var columns: [Column] = []

    package func integer(_ column: Int, _ row: Int) -> Int64 { columns[column].integers[row] }
    package func double(_ column: Int, _ row: Int) -> Double { columns[column].doubles[row] }
    package func text(_ column: Int, _ row: Int) -> String { columns[column].texts[row] }

    /// Adds rows with the same columns.
    mutating func append(_ other: EngineResult) { append(other.columns, count: other.count) }

    mutating func append(_ more: [Column], count: Int) {
        guard count > 0 else { return }
        self.count += count
        guard !columns.isEmpty else { return columns = more }
        for (index, column) in more.enumerated() {
            columns[index].integers += column.integers
            columns[index].doubles += column.doubles
            columns[index].texts += column.texts
        }
    }
}

extension EventEngine {
    /// The rows that a query finds. Blocks the thread: not for tasks.
    func rows(of query: EngineQuery) throws -> EngineResult {
        let end = OneShot<Result<EngineResult, EngineError>>()
        Task {
            do throws(EngineError) { end.end(.success(try await result(of: query))) } catch { end.end(.failure(error)) }
        }
        guard let result = end.blockingValue() else { throw CancellationError() }
        return try result.get()
    }
}

extension EngineResult {
    /// Calls a function with each outcome of a rule.
    func forEachOutcome(_ body: (RuleOutcome) -> Void) {
        for row in 0..<count {
            let isExposure = integer(2, row) == Int64(EngineRow.Kind.exposure.rawValue)
            let kind =
                isExposure
                ? RuleOutcome.Kind.exposure(variationID: text(3, row))
                : .conversion(
                    revenue: integer(4, row) == 1 ? integer(5, row) : nil,
                    value: integer(6, row) == 1 ? double(7, row) : nil)
            body(RuleOutcome(visitor: integer(0, row), kind))
        }
    }

    /// The totals of visitors, one row from each server.
    var totals: ConversionTotals {
        var totals = ConversionTotals()
        for row in 0..<count { totals.add(Int(integer(0, row)), sum: double(1, row)) }
        return totals
    }
}
