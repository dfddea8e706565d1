import TurnoutEngine
import TurnoutSQLite

/// Decides which lists of attributes leave their visitors out, once for each list.
struct AttributeMarks {
    /// Whether the project filters bots.
    private static let filtering = "$opt_bot_filtering"
    private static let agent = "$opt_user_agent"
    /// The number of lists to remember; a full memory is emptied.
    private static let maximumCount = 1_000_000

    let exclusions: [ResultExclusion]
    private let excludesBots: Bool
    private let attributes: [(name: String, value: String)]
    private var known: [Int64: VisitorTable.Marks] = [:]

    /// The names of the attributes without which no list leaves its visitors out.
    var names: [String] { attributes.map(\.name) + [Self.agent] }

    init(_ exclusions: [ResultExclusion]) {
        self.exclusions = exclusions
        excludesBots = exclusions.contains(.bots)
        attributes = exclusions.compactMap { exclusion in
            if case .attribute(let name, let value) = exclusion { (name, value) } else { nil }
        }
    }

    /// The marks of the visitors with a list of attributes.
    mutating func marks(of list: Int64, _ connection: SQLiteConnection) throws -> VisitorTable.Marks {
        if let marks = known[list] { return marks }
        let statement = try connection.statement("SELECT content FROM attributes WHERE id = ?")
        statement.bind(1, list)
        defer { statement.reset() }
        let marks = try statement.step() ? marks(of: statement.bytes(0)) : []
        if known.count >= Self.maximumCount { known = [:] }
        known[list] = marks
        return marks
    }

    func marks(of content: [UInt8]) -> VisitorTable.Marks {
        var marks: VisitorTable.Marks = []
        var (isFiltered, isProgram) = (excludesBots, false)
        content.withUnsafeBufferPointer { bytes in
            // What is no list says nothing.
            try? JSONReader.read(bytes, limits: EventBatchParser.limits) { (reader) throws(JSONError) in
                try reader.elements { (reader) throws(JSONError) in
                    guard let (name, value) = try readWanted(&reader) else { return }
                    if name == Self.filtering { isFiltered = isFiltered || value == .bool(true) }
                    if name == Self.agent { isProgram = isProgram || value.isProgram }
                    if attributes.contains(where: { $0.name == name && value.isSpelled($0.value) }) {
                        marks.insert(.excluded)
                    }
                }
            }
        }
        if isFiltered, isProgram { marks.insert(.bot) }
        return marks
    }

    /// Reads an attribute; nil if it does not matter. Skips others, because there may be as many lists as visitors.
    private func readWanted(_ reader: inout JSONReader) throws(JSONError) -> (name: String, value: JSONValue)? {
        var (name, value): (String?, JSONValue?)
        try reader.members { (reader, member) throws(JSONError) in
            if member == "key", reader.peek() == UInt8(ascii: "\"") {
                name = try reader.readString().string
            } else if member == "value", name.map(isWanted) != false {
                value = try reader.readValue()
            } else {
                try reader.skipValue()
            }
        }
        guard let name, let value else { return nil }
        return (name, value)
    }

    private func isWanted(_ name: String) -> Bool {
        name == Self.filtering || name == Self.agent || attributes.contains { $0.name == name }
    }
}

extension JSONValue {
    /// Parts of the names of programs, in small letters.
    private static let programs = [
        "bot", "crawl", "spider", "slurp", "headless", "lighthouse", "facebookexternalhit", "pingdom",
    ].map { Array($0.utf8) }
    /// A bit for each first letter, because there may be as many agents as visitors.
    private static let firstLetters = programs.reduce(0 as UInt32) { $0 | 1 &<< UInt32($1[0]) }

    /// Whether this is the `User-Agent` of a program.
    fileprivate var isProgram: Bool {
        guard case .string(let agent) = self else { return false }
        let letters = agent.utf8.map { 65...90 ~= $0 ? $0 | 32 : $0 }
        let first = Self.firstLetters
        return letters.indices.contains { place in
            first & 1 &<< UInt32(letters[place]) != 0
                && Self.programs.contains { $0[0] == letters[place] && letters[place...].starts(with: $0) }
                // The phones of the maker Cubot are no programs.
                && !letters[..<place].suffix(2).elementsEqual("cu".utf8)
        }
    }

    /// Whether a text in a setting means the value.
    fileprivate func isSpelled(_ text: String) -> Bool {
        switch self {
        case .string(let value): value == text
        case .bool(let value): "\(value)" == text
        default: number.map { $0 == Double(text) } ?? false
        }
    }
}
