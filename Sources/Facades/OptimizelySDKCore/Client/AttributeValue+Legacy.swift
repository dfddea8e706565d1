import Foundation
import Optimizely
import TurnoutClient

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
