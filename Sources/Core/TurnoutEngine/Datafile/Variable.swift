/// A variable of a flag.
public struct Variable: Sendable {
    let project: Project
    let index: Int

    /// The type of a variable's values.
    public enum ValueType: Sendable, Equatable {
        /// Text.
        case string
        /// A whole number of 64 bits.
        case integer
        /// A number.
        case double
        /// `true` or `false`.
        case boolean
        /// A JSON object.
        case json
        /// A type this version does not know; values are kept as text.
        case other

        init(name: String) {
            self =
                switch name {
                case "string": .string
                case "integer": .integer
                case "double": .double
                case "boolean": .boolean
                case "json": .json
                default: .other
                }
        }

        /// Whether there are texts that are no value of this type.
        var canBeInvalid: Bool { self != .string && self != .other }

        /// Whether a text is a value of this type, and one that JSON can hold.
        func accepts(_ text: String) -> Bool {
            if self == .json { return JSONReader.isObject(text) }
            guard let value = VariableValue(text, type: self) else { return false }
            return value.isFinite
        }
    }

    var row: VariableRow { project.tables.variables[index] }

    /// The variable's id, by which variations override it.
    public var id: String { project.text(row.id) }
    /// The key that people use.
    public var key: String { project.text(row.key) }
    /// The type of the values.
    public var type: ValueType { row.type }
    /// The type as the datafile names it; `json` for a string of subtype json.
    public var typeName: String { project.text(row.typeName) }
    /// The value where no variation says otherwise, as text.
    public var defaultValue: String { project.text(row.defaultValue) }
}
