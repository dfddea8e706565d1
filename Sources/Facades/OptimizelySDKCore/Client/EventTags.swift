import Foundation
import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// The tags in the form for events: strings and numbers, with `revenue` and `value` converted to numbers if
    /// possible.
    func tags(_ given: [String: Any]?) -> [String: AttributeValue] {
        var tags: [String: AttributeValue] = [:]
        for (name, given) in given ?? [:] {
            let value = AttributeValue(legacyValue: given)
            switch (name, value) {
            case ("revenue", .string(let text)):
                let amount = LenientNumber.integer(of: text)
                tags[name] = amount.map { .integer($0) } ?? value
                parts.log(.warning, "the tag revenue is a text, not a whole number: " + Self.use(of: amount))
            case ("revenue", .double(let number)):
                tags[name] = value
                check(revenue: number)
            case ("revenue", .float(let number)):
                tags[name] = value
                check(revenue: Double(number))
            case ("value", .string(let text)):
                let amount = LenientNumber.double(of: text)
                tags[name] = amount.map { .double($0) } ?? value
                if amount == nil {
                    parts.log(.warning, "the tag value is a text without a number: it is sent without an amount")
                }
            case (_, .string), (_, .integer), (_, .double), (_, .float): tags[name] = value
            default: parts.log(.warning, "the tag \"\(name)\" is left out: it is neither a text nor a number")
            }
        }
        return tags
    }

    private func check(revenue number: Double) {
        let isAmount = Int64(exactly: number.rounded(.towardZero)) != nil
        guard !isAmount || number != number.rounded(.towardZero) else { return }
        let use = isAmount ? "the fraction is dropped" : "it is sent without an amount"
        parts.log(.warning, "the tag revenue is not a whole number: \(use)")
    }

    private static func use(of amount: Int64?) -> String {
        amount == nil ? "it is sent without an amount" : "any fraction is dropped"
    }
}

/// Parses numbers at the beginning of strings, as the Objective-C library did with `longLongValue` and `doubleValue`. A
/// string without a number gives nil, not 0 as there.
private enum LenientNumber {
    static func integer(of text: String) -> Int64? {
        let (sign, rest) = signed(text)
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return double(of: text).flatMap { Int64(exactly: $0.rounded(.towardZero)) } }
        // Saturates, like the original.
        return Int64(sign + digits) ?? (sign == "-" ? .min : .max)
    }

    static func double(of text: String) -> Double? {
        let (sign, rest) = signed(text)
        // Further digits do not change the value.
        var digits = rest.prefix { $0.isASCII && $0.isNumber || ".eE+-".contains($0) }.prefix(400)
        while !digits.isEmpty {
            if let number = Double(sign + digits) { return number.isFinite ? number : nil }
            digits.removeLast()
        }
        return nil
    }

    private static func signed(_ text: String) -> (sign: String, rest: Substring) {
        let rest = text.drop { $0.isWhitespace }
        switch rest.first {
        case "-": return ("-", rest.dropFirst())
        case "+": return ("", rest.dropFirst())
        default: return ("", rest)
        }
    }
}

extension AttributeValue {
    /// Converts a caller's value. The Objective-C library treated all numbers as `NSNumber`, so `Decimal` and `CGFloat`
    /// are numbers here; to the interface of `Optimizely` they are of an unknown type.
    init(legacyValue value: Any) {
        self = Self.number(value) ?? AttributeValue(anyValue: value)
    }

    /// Compares types instead of casting, because a cast would convert other numbers to `Decimal`.
    private static func number(_ value: Any) -> AttributeValue? {
        let type = type(of: value)
        if type == Decimal.self, let number = value as? Decimal { return decimal(number) }
        if type == CGFloat.self, let number = value as? CGFloat { return .double(Double(number)) }
        if type is AnyClass, let number = value as? NSDecimalNumber { return decimal(number.decimalValue) }
        guard let optional = value as? any AnyOptional, let content = optional.content else { return nil }
        return number(content)
    }

    private static func decimal(_ decimal: Decimal) -> AttributeValue {
        // Converted through the digits, because Foundation's conversion on Linux is off by one bit.
        let text = decimal.description
        if let whole = Int64(text) { return .integer(whole) }
        return .double(Double(text) ?? .nan)
    }
}

/// Identifies optionals among values of type `Any`.
private protocol AnyOptional {
    var content: Any? { get }
}

extension Optional: AnyOptional {
    fileprivate var content: Any? { self }
}

extension Attributes {
    init(legacyValues values: [String: Any]?) {
        self.init()
        for (name, value) in values ?? [:] { self[name] = AttributeValue(legacyValue: value) }
    }
}
