/// Decimal numbers with at most two decimals, as percentages and weights have, in whole hundredths.
package enum Hundredths {
    /// Why a text is not such a number.
    package enum Failure: Error, Sendable {
        /// It is not a number, or is negative.
        case notANumber
        /// It has more than two decimals.
        case tooFine
        /// It is larger than a billion.
        case tooLarge
    }

    /// The hundredths of a number such as `50`, `12.5` or `0.01`.
    package static func parse(_ text: Substring) throws(Failure) -> Int {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        }
        guard isNumber, parts.count <= 2, let whole = parts.first else { throw .notANumber }
        let decimals = parts.count == 2 ? Array(parts[1]) : []
        guard decimals.count <= 2 else { throw .tooFine }
        guard whole.count <= 9 else { throw .tooLarge }
        let digits = whole + decimals + Array(repeating: UInt8(ascii: "0"), count: 2 - decimals.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// The shortest spelling: `50`, `12.5`, `0.01`.
    package static func text(_ hundredths: Int) -> String {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        let (tenths, last) = abs(rest).quotientAndRemainder(dividingBy: 10)
        let sign = hundredths < 0 && whole == 0 ? "-" : ""
        return "\(sign)\(whole)" + (rest == 0 ? "" : last == 0 ? ".\(tenths)" : ".\(tenths)\(last)")
    }
}
