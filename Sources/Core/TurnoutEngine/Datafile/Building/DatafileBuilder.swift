/// Builds the tables of a datafile: filled while it is read, and frozen by ``build()``.
///
/// The reader writes rows directly from bytes (the `DatafileBuilder+…` files, one per subject). References between
/// entities stay symbols until everything is read, because members can be in any order; ``build()`` then resolves them
/// to row numbers.
///
/// Not copyable, so that functions which only look at the rows receive an address: passing the tables by value retains
/// forty arrays, which took a sixth of the load time of a large datafile.
struct DatafileBuilder: ~Copyable {
    let format: DatafileFormat
    var tables: DatafileTables
    private var predictor = MemberPredictor()

    /// Creates a builder for a datafile of `size` bytes.
    init(format: DatafileFormat, size: Int) {
        self.format = format
        tables = DatafileTables(size: size)
        for name in DatafileField.names { _ = tables.symbols.intern(name) }
        precondition(DatafileField.names.count == DatafileField.caseCount, "a field was added without counting it")
    }

    /// The datafile's version; empty until it is read.
    var version: String { tables.symbols.text(tables.version) }

    /// The tables, with all references resolved.
    consuming func build() -> DatafileTables {
        link()
        return tables
    }

    // MARK: Reading

    /// Reads the members of an object that have a ``DatafileField``; `body` reads the value of one.
    ///
    /// Of duplicate members the first wins. `null` counts as absent where a member is optional.
    @inline(__always)
    mutating func readObject(
        _ reader: inout JSONReader, _ members: EntityMembers,
        _ body: (inout DatafileBuilder, inout JSONReader, DatafileField) throws(JSONError) -> Void
    ) throws(JSONError) {
        var seen: FieldSet = []
        try reader.enterObject()
        let start = reader.cursor
        var place = predictor.start(members)
        while !reader.leaveObject() {
            var next = predictor.read(at: place, &reader)
            if next == nil { next = try nextField(&reader, members, &place) }
            guard let field = next else { break }
            place = predictor.place(members, after: field)
            guard !seen.contains(field) else {
                try reader.skipValue()
                continue
            }
            seen.insert(FieldSet(field))
            try readMember(field, &reader, members, body)
        }
        if let missing = members.required.subtracting(seen).first {
            throw reader.error("the required member \"\(missing)\" is missing", at: start - 1)
        }
    }

    /// Reads the name of the next member that has a field, and remembers it; nil at the end of the object.
    @inline(never)
    private mutating func nextField(
        _ reader: inout JSONReader, _ members: EntityMembers, _ place: inout Int
    ) throws(JSONError) -> DatafileField? {
        while true {
            let start = reader.cursor
            var isFirst = place == predictor.start(members)
            guard let name = try reader.nextKey(isFirst: &isFirst) else { return nil }
            if let field = tables.symbols.find(name).flatMap(DatafileField.init) {
                predictor.learn(field, at: place, from: start, reader)
                return field
            }
            try reader.skipValue()
            place = predictor.placeAfterSkipped(members)
            if let field = predictor.read(at: place, &reader) { return field }
        }
    }

    /// Reads the value of a member.
    @inline(__always)
    private mutating func readMember(
        _ field: DatafileField, _ reader: inout JSONReader, _ members: EntityMembers,
        _ body: (inout DatafileBuilder, inout JSONReader, DatafileField) throws(JSONError) -> Void
    ) throws(JSONError) {
        do throws(JSONError) {
            if members.required.contains(field) {
                try body(&self, &reader, field)
            } else if members.optional.contains(field) {
                if try !reader.skipNull() { try body(&self, &reader, field) }
            } else {
                try reader.skipValue()
            }
        } catch { throw error.inside(.key(field.rawValue)) }
    }

    /// Reads an array; `body` reads one element.
    @inline(__always)
    mutating func readArray(
        _ reader: inout JSONReader,
        _ body: (inout DatafileBuilder, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        var isFirst = true
        var index = 0
        try reader.enterArray()
        while try reader.nextElement(isFirst: &isFirst) {
            do throws(JSONError) { try body(&self, &reader) } catch { throw error.inside(.index(index)) }
            index += 1
        }
    }

    /// Reads a string. Out of line: half of the work of loading is here, and in copies it would be slower.
    @inline(never)
    mutating func readSymbol(_ reader: inout JSONReader) throws(JSONError) -> Symbol {
        guard !format.readsNumbersAsText || reader.peek() == UInt8(ascii: "\"") else {
            return try readNumberAsText(&reader)
        }
        return tables.symbols.intern(try reader.readString().bytes)
    }

    private mutating func readNumberAsText(_ reader: inout JSONReader) throws(JSONError) -> Symbol {
        guard let byte = reader.peek(), byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) else {
            throw reader.unexpected("a string")
        }
        let start = reader.cursor
        _ = try reader.readNumber()
        return tables.symbols.intern(UnsafeBufferPointer(start: start, count: reader.cursor - start))
    }

    /// Reads a list of strings.
    mutating func readSymbols(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = tables.symbolLists.count
        try readArray(&reader) { (builder, reader) throws(JSONError) in
            builder.tables.symbolLists.append(try builder.readSymbol(&reader))
        }
        return Rows(from: start, to: tables.symbolLists.count)
    }
}

extension SymbolTable {
    @inline(__always)
    mutating func intern(_ text: JSONText) -> Symbol { intern(text.bytes) }

    /// The symbol of a string, or nil.
    @inline(__always)
    func find(_ text: JSONText) -> Symbol? { find(text.bytes) }
}
