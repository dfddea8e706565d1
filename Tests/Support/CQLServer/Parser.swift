/// Parses the statements of CQL that assignments and drivers need; others are an error that names the word.
struct Parser {
    private var lexer: Lexer
    private(set) var token = LexicalToken.end
    /// The names of the markers so far; nil for `?`.
    private(set) var markers: [String?] = []

    /// A statement and the names of its markers.
    static func parse(_ text: String) throws(CQLError) -> (statement: Statement, markers: [String?]) {
        var parser = Parser(lexer: Lexer(text))
        try parser.advance()
        let statement = try parser.statement()
        _ = try parser.accept(symbol: ";")
        guard parser.token == .end else { throw parser.unexpected("the end") }
        return (statement, parser.markers)
    }

    private init(lexer: Lexer) { self.lexer = lexer }

    private mutating func statement() throws(CQLError) -> Statement {
        if try accept("use") { return .use(try name()) }
        if try accept("create") { return try creation() }
        if try accept("alter") { return try alteration() }
        if try accept("drop") { return try removal() }
        if try accept("truncate") {
            _ = try accept("table")
            return .truncate(try tableName())
        }
        if try accept("select") { return .select(try selection()) }
        if try accept("insert") { return .insert(try insertion()) }
        if try accept("update") { return .update(try update()) }
        if try accept("delete") { return .delete(try deletion()) }
        throw unexpected("a statement that this server knows")
    }

    // MARK: - Words

    mutating func advance() throws(CQLError) { token = try lexer.next() }

    func unexpected(_ expected: String) -> CQLError { .syntax("found \(token) where \(expected) is expected") }

    mutating func accept(_ word: String) throws(CQLError) -> Bool {
        guard token == .word(word) else { return false }
        try advance()
        return true
    }

    mutating func accept(symbol: String) throws(CQLError) -> Bool {
        guard token == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func expect(_ word: String) throws(CQLError) {
        guard try accept(word) else { throw unexpected(word) }
    }

    mutating func expect(symbol: String) throws(CQLError) {
        guard try accept(symbol: symbol) else { throw unexpected(symbol) }
    }

    mutating func name() throws(CQLError) -> String {
        switch token {
        case .word(let name), .quotedName(let name):
            try advance()
            return name
        default: throw unexpected("a name")
        }
    }

    mutating func tableName() throws(CQLError) -> TableName {
        let first = try name()
        guard try accept(symbol: ".") else { return TableName(keyspace: nil, table: first) }
        return TableName(keyspace: first, table: try name())
    }

    /// Names between parentheses.
    mutating func nameList() throws(CQLError) -> [String] {
        try expect(symbol: "(")
        var names = [try name()]
        while try accept(symbol: ",") { names.append(try name()) }
        try expect(symbol: ")")
        return names
    }

    mutating func literal() throws(CQLError) -> Literal {
        let literal: Literal
        switch token {
        case .literal(let value): literal = value
        case .word("true"): literal = .boolean(true)
        case .word("false"): literal = .boolean(false)
        case .word("null"): literal = .null
        default: throw unexpected("a constant")
        }
        try advance()
        return literal
    }

    mutating func term() throws(CQLError) -> Term {
        guard case .marker(let name) = token else { return .literal(try literal()) }
        try advance()
        markers.append(name)
        return .marker(markers.count - 1)
    }

    mutating func termList() throws(CQLError) -> [Term] {
        try expect(symbol: "(")
        if try accept(symbol: ")") { return [] }
        var terms = [try term()]
        while try accept(symbol: ",") { terms.append(try term()) }
        try expect(symbol: ")")
        return terms
    }

    mutating func ifNotExists() throws(CQLError) -> Bool {
        guard try accept("if") else { return false }
        try expect("not")
        try expect("exists")
        return true
    }

    mutating func ifExists() throws(CQLError) -> Bool {
        guard try accept("if") else { return false }
        try expect("exists")
        return true
    }
}
