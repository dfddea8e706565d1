/// A type that a variable's value can be read as: `Bool`, `Int`, `Double` or `String`.
///
/// Other `Decodable` types are decoded, also enumerations with a raw value; they need no conformance. With one, a value
/// is read without decoding:
///
/// ```swift
/// enum Layout: String, VariableConvertible {
///     case onePage = "one_page", twoStep = "two_step"
///
///     init?(_ value: VariableValue) {
///         guard case .string(let text) = value else { return nil }
///         self.init(rawValue: text)
///     }
/// }
/// ```
///
/// The initializer is called on the caller's thread, each time that the variable is read. If it returns nil, the client
/// returns the default that the call passed, and logs a warning.
public protocol VariableConvertible: Decodable {
    /// Creates a value, or returns nil if the variable is of another type.
    init?(_ value: VariableValue)
}

extension Bool: VariableConvertible {
    /// The value of a Boolean variable.
    public init?(_ value: VariableValue) {
        guard case .boolean(let value) = value else { return nil }
        self = value
    }
}

extension Int: VariableConvertible {
    /// The value of an integer variable.
    public init?(_ value: VariableValue) {
        guard case .integer(let value) = value else { return nil }
        self = value
    }
}

extension Double: VariableConvertible {
    /// The value of a double variable, or of an integer variable.
    public init?(_ value: VariableValue) {
        switch value {
        case .double(let value): self = value
        case .integer(let value): self = Double(value)
        default: return nil
        }
    }
}

extension String: VariableConvertible {
    /// The value of a string variable, or of one of an unknown type.
    public init?(_ value: VariableValue) {
        guard case .string(let value) = value else { return nil }
        self = value
    }
}

extension Variables {
    /// Decodes the value of a variable: an object from a JSON variable, a number, a string or a Boolean from others.
    ///
    /// ```swift
    /// struct Theme: Decodable { let color: String; let columns: Int }
    /// let theme = try decision.variables.decode(Theme.self, "theme")
    /// ```
    ///
    /// The rules are those of Foundation's JSON decoder without options, except that its own types have no special
    /// treatment. For a type with a `URL`, `Decimal`, `Data` or `Date`, use that decoder:
    ///
    /// ```swift
    /// let banner = try JSONDecoder().decode(Banner.self, from: Data(decision.variables.jsonBytes("banner") ?? []))
    /// ```
    ///
    /// - Throws: ``VariableError``.
    public func decode<Value: Decodable>(_ type: Value.Type, _ key: String) throws(VariableError) -> Value {
        guard let value = self[key] else { throw .unknown(variable: key) }
        do { return try (value.jsonValue ?? .null).decoded(as: type) } catch let error as DecodingError {
            throw .undecodable(variable: key, problem: error.problem)
        } catch { throw .undecodable(variable: key, problem: "\(error)") }
    }
}

/// Why a variable could not be decoded.
public enum VariableError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The flag has no such variable, or the decision has no variables: see ``Decision/variables``.
    case unknown(variable: String)
    /// The value is not of the type; with the place in it and the cause.
    case undecodable(variable: String, problem: String)

    /// A description of the error: `variable "theme": $.columns: expected a number, found a string`.
    public var description: String {
        switch self {
        case .unknown(let key): "there is no variable \(key.debugDescription)"
        case .undecodable(let key, let problem): "variable \(key.debugDescription): \(problem)"
        }
    }
}
