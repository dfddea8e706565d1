import TurnoutEngine

/// The spelling of the values of variables, in project files and in datafiles.
///
/// Datafiles spell all values as strings: `3`, `true`, `{"dark":false}`.
extension AuthoredVariable.ValueType {
    /// The type of a variable whose default is written like this; nil for null.
    init?(of node: Node) {
        switch node.content {
        case .sequence, .mapping: self = .json
        case .scalar(_, isQuoted: true): self = .string
        case .scalar(let text, isQuoted: false):
            switch Node.literal(text) {
            case .null: return nil
            case .bool: self = .boolean
            case .integer: self = .integer
            case .double: self = text.utf8.contains(where: Self.isFraction) ? .double : .integer
            default: self = .string
            }
        }
    }

    private static func isFraction(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
    }

    /// The expected kind of value, in messages.
    var noun: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .double: "a number"
        case .boolean: "true or false"
        case .json: "a JSON object"
        }
    }

    /// The datafile's spelling of a value, or nil if it is not of this type.
    func value(of node: Node) -> String? {
        switch (self, node.content) {
        case (.json, .mapping): return node.compactJSON
        case (.json, .scalar(let text, isQuoted: true)):
            return Node(objectText: text) == nil ? nil : text
        case (.string, .scalar(let text, _)): return node.isNothing ? nil : text
        case (_, .scalar(let text, isQuoted: false)):
            switch (self, Node.literal(text)) {
            case (.integer, .integer), (.double, .integer), (.double, .double), (.boolean, .bool): return text
            default: return nil
            }
        default: return nil
        }
    }

    /// Whether a value that is spelled as in datafiles is of this type, so that a project file can hold it.
    package func accepts(_ value: String) -> Bool {
        switch self {
        case .string: true
        case .json: Node(objectText: value) != nil
        case .integer, .double, .boolean: self.value(of: Node(.scalar(value, isQuoted: false))) != nil
        }
    }
}

extension Node {
    /// Reads a JSON text that holds an object.
    init?(objectText text: String) {
        do throws(Diagnostic) {
            try self.init(json: SourceFile(name: "", bytes: Array(text.utf8)))
        } catch { return nil }
        guard case .mapping = content else { return nil }
    }

    /// The node as JSON without spaces. Keys keep their order and numbers their spelling; of duplicate keys the first
    /// is written.
    var compactJSON: String {
        var text = ""
        writeCompact(to: &text)
        return text
    }

    private func writeCompact(to text: inout String) {
        switch content {
        case .scalar(let scalar, let isQuoted):
            if !isQuoted, let literal = Self.literal(scalar) {
                text += literal == .null ? "null" : scalar
            } else {
                text += Self.json(scalar)
            }
        case .sequence(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.writeCompact(to: &text)
            }
            text += "]"
        case .mapping(let members):
            var known: Set<String> = []
            text += "{"
            for member in members where known.insert(member.key.text).inserted {
                text += (known.count == 1 ? "" : ",") + Self.json(member.key.text) + ":"
                member.value.writeCompact(to: &text)
            }
            text += "}"
        }
    }

    private static func json(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}
