import Foundation

// Conversions between cases and the untyped values of the `Optimizely` interface.

extension JSONValue {
    /// The value in Swift's types.
    var untyped: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .integer(let value): Int(value)
        case .unsigned(let value): UInt(value)
        case .double(let value): value
        case .string(let value): value
        case .array(let elements): elements.map(\.untyped)
        case .object(let members): members.mapValues(\.untyped)
        }
    }

    /// Converts a value returned by the interface. Values of undocumented types and numbers that JSON does not support
    /// are not values of cases.
    init(untyped value: Any) {
        switch value {
        case let bool as Bool where type(of: value) == Bool.self: self = .bool(bool)
        case let number as Int where type(of: value) == Int.self: self = .integer(Int64(number))
        case let number as Double where type(of: value) == Double.self: self = number.isFinite ? .double(number) : .null
        case let text as String: self = .string(text)
        case is NSNull: self = .null
        case let elements as [Any]: self = .array(elements.map { JSONValue(untyped: $0) })
        case let members as [String: Any]: self = .object(members.mapValues { JSONValue(untyped: $0) })
        default: self = .string("a value of type \(type(of: value))")
        }
    }

    /// Converts a tagged attribute to a caller's value: `["i", 5]` is an `Int`, `["null"]` is nil.
    var untagged: Any? {
        let parts = elements ?? []
        let payload = parts.count > 1 ? parts[1] : .null
        switch parts.first?.text ?? "" {
        case "s": return payload.text ?? ""
        case "i": return Int(payload.integer ?? 0)
        case "u8": return UInt8(payload.integer ?? 0)
        case "d": return payload.number ?? 0
        case "f": return Float(payload.number ?? 0)
        case "b": return payload.flag ?? false
        case "nsnull": return NSNull()
        case "nan": return Double.nan
        case "inf": return Double.infinity
        case "-inf": return -Double.infinity
        case "date": return Date(timeIntervalSince1970: 0)
        case "a": return (payload.elements ?? []).map { $0.untagged ?? NSNull() }
        case "o": return (payload.members ?? [:]).mapValues { $0.untagged ?? NSNull() }
        default: return nil
        }
    }

    /// The value with all occurrences of a text replaced.
    func replacing(_ text: String, with replacement: String) -> JSONValue {
        switch self {
        case .string(let value): .string(value.replacing(text, with: replacement))
        case .array(let elements): .array(elements.map { $0.replacing(text, with: replacement) })
        case .object(let members): .object(members.mapValues { $0.replacing(text, with: replacement) })
        default: self
        }
    }
}
