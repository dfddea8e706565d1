/// A number in a JSON text.
package enum JSONNumber: Equatable {
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// A number without fraction and exponent from 2^63 to 2^64 - 1.
    case unsigned(UInt64)
    /// Everything else, rounded to the nearest double.
    case real(Double)
    /// Larger than any double, such as `1e400`.
    case outOfRange

    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .real(let value): value
        case .outOfRange: nil
        }
    }

    /// The value as an integer: `5`, `5.0` and `5e0` are 5; nil for `5.5`.
    package var exactInteger: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        case .unsigned, .outOfRange: nil
        }
    }
}

extension JSONReader {
    package mutating func readNumber() throws(JSONError) -> JSONNumber {
        guard let byte = peek(), byte == UInt8(ascii: "-") || isDigit(byte) else { throw unexpected("a value") }
        let first = cursor
        let isNegative = byte == UInt8(ascii: "-")
        if isNegative { cursor += 1 }
        var decimal = Decimal()
        guard let lead = current, isDigit(lead) else { throw error("expected a digit") }
        readDigits(into: &decimal, isFraction: false)
        if lead == UInt8(ascii: "0"), decimal.digitsRead > 1 {
            throw error("numbers must not start with 0", at: first)
        }
        var isInteger = true
        if current == UInt8(ascii: ".") {
            isInteger = false
            cursor += 1
            guard let digit = current, isDigit(digit) else { throw error("expected a digit") }
            readDigits(into: &decimal, isFraction: true)
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isInteger = false
            decimal.exponent += try readExponent()
        }
        if isInteger, let value = decimal.integer(isNegative: isNegative) { return value }
        let text = UnsafeBufferPointer(start: first, count: cursor - first)
        guard let value = decimal.double(isNegative: isNegative) ?? Double(String(decoding: text, as: UTF8.self)),
            value.isFinite
        else { return .outOfRange }
        return .real(value)
    }

    /// Reads an integer, such as an end of range.
    mutating func readInteger() throws(JSONError) -> Int64 {
        guard let byte = peek(), byte == UInt8(ascii: "-") || isDigit(byte) else { throw unexpected("an integer") }
        let first = cursor
        guard let value = try readNumber().exactInteger else { throw error("expected an integer", at: first) }
        return value
    }

    private var current: UInt8? { cursor < end ? cursor.pointee : nil }

    @inline(__always)
    private func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    private mutating func readDigits(into decimal: inout Decimal, isFraction: Bool) {
        var place = cursor
        while place < end, isDigit(place.pointee) {
            decimal.append(place.pointee &- 0x30)
            place += 1
        }
        let count = place - cursor
        decimal.digitsRead += count
        if isFraction { decimal.exponent -= count }
        cursor = place
    }

    private mutating func readExponent() throws(JSONError) -> Int {
        cursor += 1
        let isNegative = current == UInt8(ascii: "-")
        if isNegative || current == UInt8(ascii: "+") { cursor += 1 }
        guard let digit = current, isDigit(digit) else { throw error("expected a digit") }
        var value = 0
        while let byte = current, isDigit(byte) {
            // Larger exponents make no difference: no mantissa has enough digits to compensate.
            if value < 1_000_000_000_000 { value = value * 10 + Int(byte &- 0x30) }
            cursor += 1
        }
        return isNegative ? -value : value
    }
}

/// Accumulates the digits of a number: mantissa · 10^exponent.
private struct Decimal {
    private var mantissa: UInt64 = 0
    private var isExact = true
    var digitsRead = 0
    var exponent = 0

    @inline(__always)
    mutating func append(_ digit: UInt8) {
        let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
        if overflow || carry { isExact = false } else { mantissa = sum }
    }

    /// The value if it fits 64 bits. Nil for `-0`: only a double keeps its sign.
    func integer(isNegative: Bool) -> JSONNumber? {
        guard isExact, !(isNegative && mantissa == 0) else { return nil }
        guard isNegative else { return Int64(exactly: mantissa).map { .integer($0) } ?? .unsigned(mantissa) }
        return mantissa <= UInt64(Int64.max) + 1 ? .integer(Int64(truncatingIfNeeded: 0 &- mantissa)) : nil
    }

    /// The nearest double, if one multiplication or division of two exact doubles yields it: the factors are exact up
    /// to 2^53 and 10^22 (W. D. Clinger, "How to read floating point numbers accurately", 1990).
    func double(isNegative: Bool) -> Double? {
        guard isExact, mantissa <= 1 << 53, (-22...22).contains(exponent) else { return nil }
        var power = 1.0
        for _ in 0..<abs(exponent) { power *= 10 }
        let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        return isNegative ? -value : value
    }
}
