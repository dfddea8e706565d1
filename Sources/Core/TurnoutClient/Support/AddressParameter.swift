/// A problem with an address, in English. Repeats only known parameter names from the address.
package struct AddressError: Error, Equatable {
    /// A description of the problem.
    package let message: String

    /// Creates an error with a human-readable message.
    package init(_ message: String) { self.message = message }
}

/// A parameter of an address, `name=value`.
///
/// Errors contain the name, so check that it is a known one before reading the value.
package struct AddressParameter: Sendable {
    /// The part before the `=`.
    package let name: String
    /// The part after the `=`, without decoding; nil if there is none.
    private let value: Substring?

    init(_ text: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count > 1 ? parts[1] : nil
    }

    /// The value as a string.
    package func text() throws(AddressError) -> String {
        guard let value else { throw AddressError("\(name) has no value") }
        return try value.decoded(name)
    }

    /// The value as an integer.
    package func number(in range: ClosedRange<Int>) throws(AddressError) -> Int {
        guard let number = try text()[...].wholeNumber, range ~= number else {
            throw AddressError("\(name) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static let units = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1_000),
    ]
    /// More than a century must be a mistake.
    private static let longest = 36_525 * 86_400_000

    /// The value as a time above 0: an integer with the unit `ms`, `s`, `m`, `h` or `d`, or in seconds without a unit.
    package func duration() throws(AddressError) -> Duration {
        let text = try text()
        for (unit, milliseconds) in Self.units where text.hasSuffix(unit) {
            guard let number = text.dropLast(unit.count).wholeNumber, number > 0, number <= Self.longest / milliseconds
            else { break }
            return .milliseconds(number * milliseconds)
        }
        throw AddressError("\(name) is not a time above 0, such as 250ms, 30s, 12h or 90d")
    }

    /// An error for an unknown parameter.
    package static func unknown(expected names: [String]) -> AddressError {
        AddressError("the address has an unknown parameter; the known ones are \(names.joined(separator: ", "))")
    }
}

extension Substring {
    /// The number that the digits represent, or nil if there are no digits, other characters, or too many digits.
    package var wholeNumber: Int? {
        guard !isEmpty, utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(self)
    }

    /// The string with its percent escapes decoded.
    ///
    /// - Throws: ``AddressError`` that describes the string as `what`, if an escape is invalid.
    func decoded(_ what: String) throws(AddressError) -> String {
        var bytes: [UInt8] = []
        var rest = utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                throw AddressError("\(what): a percent sign needs two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AddressError("\(what): the percent escapes are not UTF-8")
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
