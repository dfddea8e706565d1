/// The values of a flag's variables in a decision.
///
/// ```swift
/// if case .integer(let columns)? = decision.variables["columns"] { … }
/// let title = decision.variables.string("title") ?? "Welcome"
/// ```
///
/// Values are checked when the datafile is loaded and created on access.
public struct Variables: Sendable {
    /// Where to read the values, or nil if there are none.
    private let source: Source?

    private struct Source: Sendable {
        let project: Project
        let flag: Int
        /// The variation whose overrides apply, or -1.
        let variation: Int
    }

    static let none = Variables(source: nil)

    private init(source: Source?) { self.source = source }

    /// The variables of a flag: the overrides of a variation, and defaults for the others.
    init(of flag: Int, in project: Project, overriddenBy variation: Int?) {
        source = Source(project: project, flag: flag, variation: variation ?? -1)
    }

    /// Whether the flag has no variables, or they are left out.
    package var isEmpty: Bool {
        guard let source else { return true }
        return source.project.tables.flags[source.flag].variables.isEmpty
    }

    /// The variables in the datafile's order: keys and values. A variable whose value is not of its type is left out.
    public var all: [(key: String, value: VariableValue)] {
        guard let source else { return [] }
        let project = source.project
        return project.tables.flags[source.flag].variables.range.compactMap { row in
            value(at: row).map { (project.text(project.tables.variables[row].key), $0) }
        }
    }

    /// The value of a variable, or nil if the flag has no such variable or its value is not of its type.
    ///
    /// - Complexity: O(n) in the number of the flag's variables, and in the length of the value for JSON.
    public subscript(key: String) -> VariableValue? {
        row(of: key).flatMap { value(at: $0) }
    }

    /// The value of a string variable, or of one of an unknown type; nil if there is no such variable.
    public func string(_ key: String) -> String? {
        if case .string(let value)? = self[key] { value } else { nil }
    }

    /// The value of an integer variable, or nil if there is no such variable.
    public func integer(_ key: String) -> Int? {
        if case .integer(let value)? = self[key] { value } else { nil }
    }

    /// The value of a double variable, or nil if there is no such variable.
    public func double(_ key: String) -> Double? {
        if case .double(let value)? = self[key] { value } else { nil }
    }

    /// The value of a Boolean variable, or nil if there is no such variable.
    public func boolean(_ key: String) -> Bool? {
        if case .boolean(let value)? = self[key] { value } else { nil }
    }

    /// The value of a JSON variable, or nil if there is no such variable.
    public func json(_ key: String) -> [String: JSONValue]? {
        if case .json(let value)? = self[key] { value } else { nil }
    }

    /// The value of a JSON variable as text in UTF-8, as the datafile has it; nil if there is no such variable. For
    /// decoders that know the types of Foundation:
    ///
    /// ```swift
    /// let banner = try JSONDecoder().decode(Banner.self, from: Data(decision.variables.jsonBytes("banner") ?? []))
    /// ```
    public func jsonBytes(_ key: String) -> [UInt8]? {
        guard let source, let row = row(of: key), case .json? = value(at: row) else { return nil }
        return Array(source.project.text(symbol(at: row, source)).utf8)
    }

    // MARK: Parsing

    private func row(of key: String) -> Int? {
        guard let source, let key = source.project.tables.symbols.find(key) else { return nil }
        let project = source.project
        return project.tables.flags[source.flag].variables.range.last { project.tables.variables[$0].key == key }
    }

    private func value(at row: Int) -> VariableValue? {
        guard let source else { return nil }
        let project = source.project
        return VariableValue(project.text(symbol(at: row, source)), type: project.tables.variables[row].type)
    }

    private func symbol(at row: Int, _ source: Source) -> Symbol {
        // Not bound to a name: that would copy the tables, and count a reference for each.
        let project = source.project
        let variable = project.tables.variables[row]
        guard source.variation >= 0 else { return variable.defaultValue }
        let id = variable.id
        for row in project.tables.variations[source.variation].overrides.range {
            let override = project.tables.overrides[row]
            if override.variableID == id { return override.value }
        }
        return variable.defaultValue
    }

    /// The keys of the variables whose values are not of their types.
    var invalidKeys: [String] {
        guard let source else { return [] }
        let tables = source.project.tables
        return tables.flags[source.flag].variables.range.filter { value(at: $0) == nil }
            .map { tables.symbols.text(tables.variables[$0].key) }
    }

    /// Whether JSON can represent all values.
    var areFinite: Bool {
        guard let source else { return true }
        return source.project.tables.flags[source.flag].variables.range.allSatisfy { value(at: $0)?.isFinite ?? true }
    }
}

extension Variables: CustomStringConvertible {
    /// `layout=one_page steps=1`.
    public var description: String { all.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
}

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
