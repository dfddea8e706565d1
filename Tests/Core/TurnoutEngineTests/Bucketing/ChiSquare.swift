/// Pearson's chi-squared test: how far counts differ from their expectations.
struct ChiSquare {
    let statistic: Double
    let degreesOfFreedom: Int

    /// Compares counts with expectations of the same total.
    init(observed: [Int], expected: [Double]) {
        statistic = zip(observed, expected).reduce(0) { sum, pair in
            sum + (Double(pair.0) - pair.1) * (Double(pair.0) - pair.1) / pair.1
        }
        degreesOfFreedom = observed.count - 1
    }

    /// Compares a table with the one its row and column sums would give if both were independent.
    init(independenceOf table: [[Int]]) {
        let rows = table.map { $0.reduce(0, +) }
        let columns = table[0].indices.map { column in table.reduce(0) { $0 + $1[column] } }
        let total = Double(rows.reduce(0, +))
        var statistic = 0.0
        for (row, cells) in table.enumerated() {
            for (column, count) in cells.enumerated() {
                let expected = Double(rows[row]) * Double(columns[column]) / total
                statistic += (Double(count) - expected) * (Double(count) - expected) / expected
            }
        }
        self.statistic = statistic
        degreesOfFreedom = (rows.count - 1) * (columns.count - 1)
    }

    /// The value that is exceeded by chance once in a thousand times (Wilson and Hilferty, 1931; good to 3 %).
    var bound: Double {
        let spread = 2 / (9 * Double(degreesOfFreedom))
        let root = 1 - spread + 3.0902 * spread.squareRoot()
        return Double(degreesOfFreedom) * root * root * root
    }

    var isWithinChance: Bool { statistic <= bound }
}
