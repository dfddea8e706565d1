/// A datafile as tables of rows: filled once while it is read, immutable afterwards.
///
/// The reader writes rows directly from bytes (the `DatafileTables+…` files, one per subject). References between
/// entities stay symbols until everything is read, because members can be in any order; ``link()`` then resolves them
/// to row numbers.
struct DatafileTables {
    let format: DatafileFormat
    var symbols: SymbolTable
    private var guess = MemberGuess()

    // MARK: Top level
    var version = Symbol.empty
    var projectID = Symbol.empty
    var accountID = Symbol.empty
    var revision = Symbol.empty
    var sdkKey = Symbol.none
    var environmentKey = Symbol.none
    var region = Project.Region.us
    var anonymizesIP = true
    var botFiltering: Bool?
    var sendsFlagDecisions = false

    // MARK: Tables
    var rules: [RuleRow] = []
    var variations: [VariationRow] = []
    var overrides: [OverrideRow] = []
    var traffic: [TrafficRow] = []
    var whitelist: [WhitelistRow] = []
    var flags: [FlagRow] = []
    var variables: [VariableRow] = []
    var rollouts: [RolloutRow] = []
    var groups: [GroupRow] = []
    var audiences: [AudienceRow] = []
    var attributes: [AttributeRow] = []
    var events: [EventRow] = []
    var integrations: [IntegrationRow] = []
    var conditions: [ConditionRow] = []
    var leaves: [LeafRow] = []
    var composites: [ConditionValue] = []
    var versions: [SemanticVersion?] = []
    var symbolLists: [Symbol] = []

    // MARK: Runs of the top-level lists
    var topLevelExperiments = Rows.none
    var typedAudienceRows = Rows.none
    var legacyAudienceRows = Rows.none
    var globalHoldouts = Rows.none
    var localHoldouts = Rows.none

    // MARK: Made by linking
    /// All experiments: ungrouped ones first, then those of each group.
    var experimentRows: [Int32] = []
    var flagExperimentRows: [Int32] = []
    var localHoldoutRows: [Int32] = []
    /// Whether audiences refer to each other so deeply, so often or in such cycles that evaluation must be limited.
    var audiencesNeedBudget = false
    /// Whether an experiment belongs to more than one flag, or two experiments have one id.
    var flagsShareExperiments = false
    var experimentsByKey = SymbolMap(expecting: 0)
    var experimentsByID = SymbolMap(expecting: 0)
    var rolloutsByID = SymbolMap(expecting: 0)
    var flagsByKey = SymbolMap(expecting: 0)
    var audiencesByID = SymbolMap(expecting: 0)
    var attributesByKey = SymbolMap(expecting: 0)
    var attributesByID = SymbolMap(expecting: 0)
    var eventsByKey = SymbolMap(expecting: 0)

    /// Creates empty tables, sized for a datafile of `size` bytes.
    init(format: DatafileFormat, size: Int) {
        self.format = format
        // Measured on real datafiles: one distinct string per 60 to 120 bytes.
        symbols = SymbolTable(expecting: size / 80)
        for name in DatafileField.names { _ = symbols.intern(name) }
        precondition(DatafileField.names.count == DatafileField.caseCount, "a field was added without counting it")
    }

    // MARK: Reading

    /// Reads the members of an object that have a ``DatafileField``; `body` reads the value of one.
    ///
    /// Of duplicate members the first wins. `null` counts as absent where a member is optional.
    @inline(__always)
    mutating func readObject(
        _ reader: inout JSONReader, _ members: EntityMembers,
        _ body: (inout DatafileTables, inout JSONReader, DatafileField) throws(JSONError) -> Void
    ) throws(JSONError) {
        var seen: FieldSet = []
        var isFirst = true
        try reader.enterObject()
        let start = reader.cursor
        var place = guess.place(members, after: nil)
        var found: DatafileField?
        while true {
            let guessed = guess.read(at: place, &reader, isFirst: &isFirst)
            if guessed == nil {
                guard let name = try reader.nextKey(isFirst: &isFirst) else { break }
                found = symbols.find(name).flatMap(DatafileField.init)
                if let found { guess.remember(found, at: place) }
            }
            guard let field = guessed ?? found else {
                try reader.skipValue()
                continue
            }
            place = guess.place(members, after: field)
            guard !seen.contains(field) else {
                try reader.skipValue()
                continue
            }
            do throws(JSONError) {
                seen.insert(FieldSet(field))
                if members.required.contains(field) {
                    try body(&self, &reader, field)
                } else if members.optional.contains(field) {
                    if try !reader.skipNull() { try body(&self, &reader, field) }
                } else {
                    try reader.skipValue()
                }
            } catch { throw error.inside(.key(field.rawValue)) }
        }
        if let missing = members.required.subtracting(seen).first {
            throw reader.error("the required member \"\(missing)\" is missing", at: start - 1)
        }
    }

    /// Reads an array; `body` reads one element.
    @inline(__always)
    mutating func readArray(
        _ reader: inout JSONReader,
        _ body: (inout DatafileTables, inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        var isFirst = true
        var index = 0
        try reader.enterArray()
        while try reader.nextElement(isFirst: &isFirst) {
            do throws(JSONError) { try body(&self, &reader) } catch { throw error.inside(.index(index)) }
            index += 1
        }
    }

    /// Reads a string.
    @inline(__always)
    mutating func readSymbol(_ reader: inout JSONReader) throws(JSONError) -> Symbol {
        guard reader.peek() == UInt8(ascii: "\"") || !format.readsNumbersAsText else {
            return try readNumberAsText(&reader)
        }
        return symbols.intern(try reader.readString())
    }

    private mutating func readNumberAsText(_ reader: inout JSONReader) throws(JSONError) -> Symbol {
        guard let byte = reader.peek(), byte == UInt8(ascii: "-") || (0x30...0x39).contains(byte) else {
            throw reader.unexpected("a string")
        }
        let start = reader.cursor
        _ = try reader.readNumber()
        return symbols.intern(UnsafeBufferPointer(start: start, count: reader.cursor - start))
    }

    /// Reads a list of strings.
    mutating func readSymbols(_ reader: inout JSONReader) throws(JSONError) -> Rows {
        let start = symbolLists.count
        try readArray(&reader) { (tables, reader) throws(JSONError) in
            tables.symbolLists.append(try tables.readSymbol(&reader))
        }
        return Rows(from: start, to: symbolLists.count)
    }

    /// Reads one of several allowed strings; any other is an error.
    mutating func readWord<Word: RawRepresentable<String>>(
        _ reader: inout JSONReader, of words: [Word]
    ) throws(JSONError) -> Word {
        guard reader.peek() == UInt8(ascii: "\"") else { throw reader.unexpected("a string") }
        let place = reader.cursor
        let text = try reader.readString()
        for word in words where text == word.rawValue { return word }
        let allowed = words.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        throw reader.error("\"\(text.string)\" is none of \(allowed)", at: place)
    }
}

extension JSONText {
    static func == (text: JSONText, word: String) -> Bool { word.hasBytes(text.bytes) }
}

extension SymbolTable {
    @inline(__always)
    mutating func intern(_ text: JSONText) -> Symbol { intern(text.bytes) }

    /// The symbol of a string that is in the table with exactly these bytes.
    @inline(__always)
    func find(_ text: JSONText) -> Symbol? { text.isASCII ? find(ascii: text.bytes) : nil }
}
