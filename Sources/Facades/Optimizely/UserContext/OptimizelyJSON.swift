public import Foundation
import TurnoutClient
package import TurnoutEngine

// @unchecked Sendable because it is immutable, and callers' dictionaries are values that no other code can change.
/// A JSON object: the variables of a decision, or the value of a JSON variable.
///
/// ```swift
/// let steps: Int? = decision.variables.getValue(jsonPath: "checkout.steps")
/// ```
///
/// Strings and dictionaries are built on each access, so a decision whose variables are not read costs almost nothing.
public final class OptimizelyJSON: NSObject, @unchecked Sendable {
    private enum Source {
        case map([String: Any])
        case members([String: JSONValue], text: String)
        case variables(Variables)
    }

    private let source: Source

    private init(_ source: Source) { self.source = source }

    // MARK: Creating

    /// Wraps the variables of a decision.
    package convenience init(_ variables: Variables) { self.init(.variables(variables)) }

    /// Wraps the members of an object, parsed from `text`.
    package convenience init(_ members: [String: JSONValue], text: String) {
        self.init(.members(members, text: text))
    }

    /// Parses a string; nil if it is not a JSON object.
    package convenience init?(payload: String) {
        guard case .object(let members)? = try? JSONValue(parsing: payload) else { return nil }
        self.init(members, text: payload)
    }

    /// Wraps a dictionary; nil if JSON cannot represent one of its values.
    package convenience init?(map: [String: Any]) {
        guard JSONValue.object(map) != nil else { return nil }
        self.init(.map(map))
    }

    // MARK: Reading

    /// Whether the object has no members.
    public var isEmpty: Bool { toMap().isEmpty }

    /// Returns the object as a JSON string: the original one if the object was parsed, otherwise one with sorted keys.
    /// Returns nil, with an error in the log, if a value cannot be represented.
    public func toString() -> String? {
        if case .members(_, let text) = source { return text }
        guard let text = json.map(Self.text) else {
            OPTLoggerFactory.log(.error, "Provided map could not be converted to string.")
            return nil
        }
        return text
    }

    /// Returns the object as a dictionary of `String`, `Int`, `UInt64`, `Double`, `Bool`, `[Any]`, `[String: Any]` and
    /// `NSNull`.
    ///
    /// Numbers without a fraction and an exponent become `Int`, or `UInt64` from 2^63 on.
    public func toMap() -> [String: Any] {
        switch source {
        case .map(let map): map
        case .members(let members, _): members.mapValues(\.anyValue)
        case .variables(let variables):
            Dictionary(variables.all.map { ($0.key, $0.value.anyValue) }, uniquingKeysWith: { $1 })
        }
    }

    /// The value of one member, without converting the others.
    private func member(_ key: String) -> Any? {
        switch source {
        case .map(let map): map[key]
        case .members(let members, _): members[key]?.anyValue
        case .variables(let variables): variables[key]?.anyValue
        }
    }

    /// The object as JSON, which keeps the digits of numbers; nil if a value cannot be represented.
    private var json: JSONValue? {
        switch source {
        case .map(let map): return JSONValue.object(map)
        case .members(let members, _): return .object(members)
        case .variables(let variables):
            let values = variables.all.compactMap { variable in variable.value.jsonValue.map { (variable.key, $0) } }
            return values.count == variables.all.count ? .object(Dictionary(values) { $1 }) : nil
        }
    }

    /// One member as JSON, without converting the others.
    private func jsonMember(_ key: String) -> JSONValue? {
        switch source {
        case .map(let map): map[key].flatMap { JSONValue(anyValue: $0) }
        case .members(let members, _): members[key]
        case .variables(let variables): variables[key]?.jsonValue
        }
    }

    private static func text(of value: JSONValue) -> String {
        var writer = JSONWriter(style: .foundation)
        writer.value(value)
        return writer.text
    }

    // MARK: Paths

    /// Returns the value at a path: objects and arrays are decoded as `T`, other values are cast.
    ///
    /// - Parameter jsonPath: The keys from the outermost to the innermost, separated by periods. Nil or an empty string
    ///   means the whole object.
    /// - Returns: The value, or nil, with an error in the log, if there is no such value or it is not a `T`.
    public func getValue<T: Decodable>(jsonPath: String?) -> T? {
        guard let value = value(at: jsonPath) else { return nil }
        guard value is [String: Any] || value is [Any] else { return logged(Self.cast(value)) }
        let keys = jsonPath?.split(separator: ".").map { String($0) } ?? []
        let found = keys.isEmpty ? json : keys.dropFirst().reduce(jsonMember(keys[0])) { $0?[$1] }
        guard let json = found else { return logged(nil) }
        return logged(try? JSONDecoder().decode(T.self, from: Data(Self.text(of: json).utf8)))
    }

    /// Returns the value at a path without decoding; for `Any`, `[Any]` and `[String: Any]`.
    ///
    /// - Parameter jsonPath: The keys from the outermost to the innermost, separated by periods. Nil or an empty string
    ///   means the whole object.
    /// - Returns: The value, or nil, with an error in the log, if there is no such value or it is not a `T`.
    public func getValue<T>(jsonPath: String?) -> T? {
        value(at: jsonPath).flatMap { logged(Self.cast($0)) }
    }

    private func value(at path: String?) -> Any? {
        guard let path, !path.isEmpty else { return toMap() }
        let keys = path.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
        var value = member(keys[0])
        for key in keys.dropFirst() { value = (value as? [String: Any])?[key] }
        guard let value, !keys.contains("") else {
            OPTLoggerFactory.log(.error, "Value for JSON key (\(path)) not found.")
            return nil
        }
        return value
    }

    /// Numbers convert to any numeric type that represents them exactly, because JSON does not distinguish 1 from 1.0.
    private static func cast<T>(_ value: Any) -> T? {
        if let value = value as? T { return value }
        guard T.self != Bool.self else { return nil }
        switch value {
        case let number as Int: return NSNumber(value: number) as? T
        case let number as UInt64: return NSNumber(value: number) as? T
        case let number as Double: return NSNumber(value: number) as? T
        default: return nil
        }
    }

    private func logged<T>(_ value: T?) -> T? {
        if value == nil { OPTLoggerFactory.log(.error, "Value for path could not be assigned to provided type.") }
        return value
    }

    // MARK: Comparing

    /// Whether both contain the same values. Numbers are compared by value: 1 equals 1.0, but not `true`.
    override public func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? OptimizelyJSON else { return false }
        if self === other { return true }
        guard let left = json, let right = other.json else { return false }
        return left.isEquivalent(to: right)
    }

    /// A hash of the keys.
    override public var hash: Int { Set(toMap().keys).hashValue }

    /// The description of the dictionary.
    override public var description: String { "\(toMap())" }
}

extension VariableValue {
    /// The value as a standard Swift type.
    package var anyValue: Any {
        switch self {
        case .string(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .boolean(let value): value
        case .json(let members): members.mapValues(\.anyValue)
        }
    }
}
