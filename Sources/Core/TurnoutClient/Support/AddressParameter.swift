/// What is wrong with an address, in English. Repeats nothing of the address but names that are known.
package struct AddressError: Error, Equatable {
    /// What is wrong.
    package let message: String

    /// An error with words for people.
    package init(_ message: String) { self.message = message }
}

/// A parameter of an address, `name=value`.
///
/// What reads its value names it in errors; so its name must be one that is known then.
package struct AddressParameter: Sendable {
    /// What is before the `=`.
    package let name: String
    /// What is behind it, as it is written; nil: there is none.
    private let value: Substring?

    init(_ text: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count > 1 ? parts[1] : nil
    }

    /// The value, which may be any text.
    package func text() throws(AddressError) -> String {
        guard let value else { throw AddressError("\(name) has no value") }
        return try value.decoded(name)
    }

    /// The value as a whole number.
    package func number(in range: ClosedRange<Int>) throws(AddressError) -> Int {
        guard let number = try text()[...].wholeNumber, range ~= number else {
            throw AddressError("\(name) is no number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static let units = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1_000),
    ]
    /// More than a century is a slip.
    private static let longest = 36_525 * 86_400_000

    /// The value as a time above 0: a whole number of `ms`, `s`, `m`, `h` or `d`, or of seconds if there is no unit.
    package func duration() throws(AddressError) -> Duration {
        let text = try text()
        for (unit, milliseconds) in Self.units where text.hasSuffix(unit) {
            guard let number = text.dropLast(unit.count).wholeNumber, number > 0, number <= Self.longest / milliseconds
            else { break }
            return .milliseconds(number * milliseconds)
        }
        throw AddressError("\(name) is no time above 0, such as 250ms, 30s, 12h or 90d")
    }

    /// Says that there is no such parameter.
    package static func unknown(expected names: [String]) -> AddressError {
        AddressError("the address has a parameter of an unknown name; there are \(names.joined(separator: ", "))")
    }
}

extension Substring {
    /// The number that its digits make; nil: it has none, others than digits, or too many.
    package var wholeNumber: Int? {
        guard !isEmpty, utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(self)
    }

    /// The text with what its percent signs stand for.
    ///
    /// - Throws: ``AddressError`` that says `what` it is, if they stand for nothing.
    func decoded(_ what: String) throws(AddressError) -> String {
        var bytes: [UInt8] = []
        var rest = utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                throw AddressError("\(what): two hexadecimal digits follow a percent sign")
            }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AddressError("\(what): what the percent signs stand for is not UTF-8")
        }
        return text
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
