/// `SELECT`, `INSERT`, `UPDATE` and `DELETE`.
extension Parser {
    mutating func selection() throws(CQLError) -> Select {
        var select = Select()
        select.isDistinct = try accept("distinct")
        if try !accept(symbol: "*") {
            repeat { select.selections.append(try selector()) } while try accept(symbol: ",")
        }
        try expect("from")
        select.table = try tableName()
        if try accept("where") { select.relations = try relations() }
        if try accept("order") {
            try expect("by")
            repeat {
                let column = try name()
                let isDescending = try accept("desc")
                if !isDescending { _ = try accept("asc") }
                if select.order == nil { select.order = (column, isDescending) }
            } while try accept(symbol: ",")
        }
        if try accept("limit") { select.limit = try term() }
        if try accept("allow") {
            try expect("filtering")
            select.allowsFiltering = true
        }
        return select
    }

    private mutating func selector() throws(CQLError) -> Select.Selection {
        let isQuoted = if case .quotedName = token { true } else { false }
        let word = try name()
        var selector = Select.Selector.column(word)
        if !isQuoted, token == .symbol("(") {
            switch word {
            case "writetime": selector = .writeTime(try onlyName())
            case "ttl": selector = .timeToLive(try onlyName())
            case "token": selector = .token(try nameList())
            case "count":
                try expect(symbol: "(")
                if try !accept(symbol: "*") { _ = try literal() }
                try expect(symbol: ")")
                selector = .count
            default: throw .invalid("the function \(word) is unknown")
            }
        }
        return Select.Selection(selector: selector, alias: try accept("as") ? try name() : nil)
    }

    private mutating func onlyName() throws(CQLError) -> String {
        try expect(symbol: "(")
        let name = try name()
        try expect(symbol: ")")
        return name
    }

    private mutating func relations() throws(CQLError) -> [Relation] {
        var relations = [try relation()]
        while try accept("and") { relations.append(try relation()) }
        return relations
    }

    private mutating func relation() throws(CQLError) -> Relation {
        let subject: Relation.Subject
        if try accept("token") { subject = .token(try nameList()) } else { subject = .column(try name()) }
        if try accept("in") {
            if case .marker = token {
                return Relation(subject: subject, comparison: .isInList, terms: [try term()])
            }
            return Relation(subject: subject, comparison: .isIn, terms: try termList())
        }
        guard case .symbol(let symbol) = token, let comparison = Relation.Comparison(rawValue: symbol) else {
            throw unexpected("a comparison")
        }
        try advance()
        return Relation(subject: subject, comparison: comparison, terms: [try term()])
    }

    private mutating func using() throws(CQLError) -> Using {
        var using = Using()
        guard try accept("using") else { return using }
        repeat {
            if try accept("ttl") {
                using.timeToLive = try term()
            } else {
                try expect("timestamp")
                using.timestamp = try term()
            }
        } while try accept("and")
        return using
    }

    private func refuseConditions() throws(CQLError) {
        guard token != .word("if") else { throw .invalid("this server has no lightweight transactions") }
    }

    mutating func insertion() throws(CQLError) -> Insert {
        try expect("into")
        let table = try tableName()
        let columns = try nameList()
        try expect("values")
        let values = try termList()
        guard columns.count == values.count else { throw .invalid("the numbers of columns and values differ") }
        try refuseConditions()
        return Insert(table: table, columns: columns, values: values, using: try using())
    }

    mutating func update() throws(CQLError) -> Update {
        let table = try tableName()
        let using = try using()
        try expect("set")
        var assignments: [Update.Assignment] = []
        repeat {
            let column = try name()
            try expect(symbol: "=")
            assignments.append(Update.Assignment(column: column, value: try term()))
        } while try accept(symbol: ",")
        try expect("where")
        let relations = try relations()
        try refuseConditions()
        return Update(table: table, assignments: assignments, relations: relations, using: using)
    }

    mutating func deletion() throws(CQLError) -> Delete {
        var columns: [String] = []
        if token != .word("from") {
            repeat { columns.append(try name()) } while try accept(symbol: ",")
        }
        try expect("from")
        let table = try tableName()
        let using = try using()
        guard using.timeToLive == nil else { throw .syntax("a deletion has no time to live") }
        try expect("where")
        let relations = try relations()
        try refuseConditions()
        return Delete(table: table, columns: columns, relations: relations, using: using)
    }
}
