import TurnoutClient

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
