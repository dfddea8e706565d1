import TurnoutEngine

/// A query in GraphQL: fields with arguments and fields of their own. (GraphQL specification, October 2021, section 2)
///
/// Of the language it has what clients of the data platform use: one anonymous or named query without fragments,
/// aliases and directives. Everything else is a ``SegmentQueryError``.
struct GraphQLDocument: Equatable {
    /// A value of an argument.
    enum Value: Equatable {
        case string(String)
        /// `$name`.
        case variable(String)
        case list([Value])
        /// A number, a Boolean, null or a word, as it is written.
        case literal(String)
    }

    struct Field: Equatable {
        var name: String
        var arguments: [String: Value] = [:]
        var fields: [Field] = []

        subscript(name: String) -> Field? { fields.first { $0.name == name } }
    }

    /// The fields of the query.
    let fields: [Field]

    /// Reads a query.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    init(_ text: String) throws(SegmentQueryError) {
        var parser = Parser(tokens: try GraphQLTokens(text).all[...])
        fields = try parser.document()
    }
}

extension GraphQLDocument {
    private struct Parser {
        /// The maximum depth of fields and of lists.
        private static let maximumDepth = 16
        var tokens: ArraySlice<GraphQLTokens.Token>

        mutating func document() throws(SegmentQueryError) -> [Field] {
            if tokens.first == .name("query") {
                tokens.removeFirst()
                if case .name? = tokens.first { tokens.removeFirst() }
                if tokens.first == .mark("(") { try skipVariables() }
            }
            let fields = try fields(depth: 1)
            guard tokens.isEmpty else { throw .syntax("the query has something after its fields") }
            return fields
        }

        /// The types of variables are not checked: their values are.
        private mutating func skipVariables() throws(SegmentQueryError) {
            guard let end = tokens.firstIndex(of: .mark(")")) else { throw .syntax("the list of variables has no end") }
            tokens = tokens[(end + 1)...]
        }

        private mutating func fields(depth: Int) throws(SegmentQueryError) -> [Field] {
            guard depth <= Self.maximumDepth else { throw .syntax("the fields are nested too deeply") }
            try expect("{")
            var fields: [Field] = []
            while tokens.first != .mark("}") {
                guard case .name(let name)? = tokens.popFirst() else { throw .syntax("expected the name of a field") }
                var field = Field(name: name)
                if tokens.first == .mark("(") { field.arguments = try arguments() }
                if tokens.first == .mark("{") { field.fields = try self.fields(depth: depth + 1) }
                fields.append(field)
            }
            tokens.removeFirst()
            return fields
        }

        private mutating func arguments() throws(SegmentQueryError) -> [String: Value] {
            try expect("(")
            var arguments: [String: Value] = [:]
            while tokens.first != .mark(")") {
                guard case .name(let name)? = tokens.popFirst() else {
                    throw .syntax("expected the name of an argument")
                }
                try expect(":")
                guard arguments.updateValue(try value(depth: 1), forKey: name) == nil else {
                    throw .syntax("an argument occurs twice")
                }
            }
            tokens.removeFirst()
            return arguments
        }

        private mutating func value(depth: Int) throws(SegmentQueryError) -> Value {
            guard depth <= Self.maximumDepth else { throw .syntax("the lists are nested too deeply") }
            switch tokens.popFirst() {
            case .string(let text)?: return .string(text)
            case .name(let text)?, .number(let text)?: return .literal(text)
            case .mark("$")?:
                guard case .name(let name)? = tokens.popFirst() else { throw .syntax("expected a name after $") }
                return .variable(name)
            case .mark("[")?:
                var elements: [Value] = []
                while tokens.first != .mark("]") { elements.append(try value(depth: depth + 1)) }
                tokens.removeFirst()
                return .list(elements)
            default: throw .syntax("expected a value")
            }
        }

        private mutating func expect(_ mark: Character) throws(SegmentQueryError) {
            guard tokens.popFirst() == .mark(mark) else { throw .syntax("expected \"\(mark)\"") }
        }
    }
}
