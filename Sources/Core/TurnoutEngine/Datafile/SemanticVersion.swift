/// A version such as `2.1.3-beta+7`, split for comparison.
///
/// This differs from semver.org: a target with fewer parts matches every version below it (`2.1` covers `2.1.3`), and
/// the suffix after the first `-` or `+` is one opaque string. The rules were measured on the vendor's client,
/// including irregular edge cases.
struct SemanticVersion: Sendable {
    private let text: String
    /// Byte ranges of at most three numbers and one suffix. Stored inline, so parsing does not allocate.
    private var parts = (Part(), Part(), Part(), Part())
    private var partCount = 0
    /// Whether the text has a `-` before any `+`.
    private var isPrerelease = false

    private struct Part: Sendable {
        var start: Int32 = 0
        var end: Int32 = 0
        var isNumeric = false
        /// The number, or -1 if it does not fit 64 bits or the part is not numeric.
        var number: Int64 = -1
    }

    /// Splits a string, or returns nil if it is not a version.
    init?(_ text: String) {
        self.text = text
        guard text.withBytes({ split($0) }) else { return nil }
    }

    // MARK: Comparing

    /// The order of this version, the user's, relative to `target`: negative if it is lower, 0 if the target covers it.
    ///
    /// The comparison is not symmetric: only the target's parts are compared.
    func order(relativeTo target: SemanticVersion) -> Int {
        for index in 0..<target.partCount {
            let wanted = target[index]
            guard index < partCount else { return target.isPrerelease ? 1 : -1 }
            let part = self[index]
            if !part.isNumeric {
                let order = withBytes(of: part) { mine in
                    target.withBytes(of: wanted) { mine.order(relativeTo: $0) }
                }
                if order < 0 { return target.isPrerelease && !isPrerelease ? 1 : -1 }
                if order > 0 { return isPrerelease && !target.isPrerelease ? -1 : 1 }
            } else if part.number >= 0, wanted.number >= 0 {
                if part.number != wanted.number { return part.number < wanted.number ? -1 : 1 }
            } else {
                return -1
            }
        }
        return isPrerelease && !target.isPrerelease ? -1 : 0
    }

    private subscript(index: Int) -> Part {
        switch index {
        case 0: parts.0
        case 1: parts.1
        case 2: parts.2
        default: parts.3
        }
    }

    private func withBytes<Result>(of part: Part, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        text.withBytes { body(UnsafeBufferPointer(rebasing: $0[Int(part.start)..<Int(part.end)])) }
    }

    // MARK: Splitting

    private mutating func split(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        func isSeparator(_ offset: Int) -> Bool { !bytes.isCombined(at: offset) }
        var core = 0..<bytes.count
        var suffix: Range<Int>?
        let mark = bytes.indices.first {
            (bytes[$0] == UInt8(ascii: "-") || bytes[$0] == UInt8(ascii: "+")) && isSeparator($0)
        }
        guard !bytes.contains(UInt8(ascii: " ")) else { return false }
        if let mark {
            isPrerelease = bytes[mark] == UInt8(ascii: "-")
            // Separators at the very start are dropped and do not count as the split.
            guard let first = core.first(where: { bytes[$0] != bytes[mark] || !isSeparator($0) }),
                let cut = (first..<bytes.count).first(where: { bytes[$0] == bytes[mark] && isSeparator($0) }),
                cut + 1 < bytes.count
            else { return false }
            core = first..<cut
            suffix = cut + 1..<bytes.count
        }
        guard appendNumbers(bytes, core) else { return false }
        if let suffix { append(part(bytes, suffix)) }
        return true
    }

    private mutating func appendNumbers(_ bytes: UnsafeBufferPointer<UInt8>, _ core: Range<Int>) -> Bool {
        var start = core.lowerBound
        for offset in core.lowerBound...core.upperBound {
            guard offset == core.upperBound || (bytes[offset] == UInt8(ascii: ".") && !bytes.isCombined(at: offset))
            else { continue }
            let number = part(bytes, start..<offset)
            guard number.isNumeric, partCount < 3 else { return false }
            append(number)
            start = offset + 1
        }
        return true
    }

    private mutating func append(_ part: Part) {
        switch partCount {
        case 0: parts.0 = part
        case 1: parts.1 = part
        case 2: parts.2 = part
        default: parts.3 = part
        }
        partCount += 1
    }

    private func part(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Part {
        var part = Part(start: Int32(range.lowerBound), end: Int32(range.upperBound))
        let slice = bytes[range]
        guard slice.allSatisfy({ $0 &- 0x30 < 10 }) else {
            // Digits of other scripts are digits, but do not form a number.
            part.isNumeric =
                !slice.allSatisfy { $0 < 0x80 }
                && String(decoding: slice, as: UTF8.self).unicodeScalars.allSatisfy {
                    $0.properties.generalCategory == .decimalNumber
                }
            return part
        }
        part.isNumeric = !slice.isEmpty
        part.number = slice.isEmpty ? -1 : Self.number(slice) ?? -1
        return part
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int64? {
        var value: Int64 = 0
        for digit in digits {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(digit - 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a combining mark follows the ASCII character at `offset`, so that it is not a separator.
    fileprivate func isCombined(at offset: Int) -> Bool {
        guard offset + 1 < count, self[offset + 1] >= 0x80 else { return false }
        let following = String(decoding: self[offset...].prefix(5), as: UTF8.self)
        return following.first.map { $0.unicodeScalars.count > 1 } ?? false
    }
}
