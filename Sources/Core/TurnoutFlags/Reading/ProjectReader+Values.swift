import TurnoutEngine

extension ProjectReader {
    /// A string. An unquoted scalar is one too, unless it is null.
    mutating func string(_ entry: KeyedEntry?, _ expected: String = "a string") -> String? {
        guard let entry else { return nil }
        guard let text = entry.node.text, !entry.node.isNothing else {
            reportType(expected, entry)
            return nil
        }
        return text
    }

    mutating func strings(_ entry: KeyedEntry?) -> [String]? {
        guard let entry, let elements = elements(of: entry, "a list of strings") else { return nil }
        return elements.compactMap { string($0) }
    }

    /// Reads the members that parts of most kinds can have.
    mutating func readCommonMembers(_ members: Members, of part: inout some AuthoredPart) {
        part.formerKey = string(members["was"])
        part.ignoredFindings = ignoredFindings(members["ignore"])
        part.verbatim = verbatim(members["datafile"])
    }

    /// The codes of findings that are not reported.
    mutating func ignoredFindings(_ entry: KeyedEntry?) -> [IgnoredFinding] {
        guard let entry, let elements = elements(of: entry, "a list of strings") else { return [] }
        return elements.compactMap { element in
            string(element).map { IgnoredFinding($0, origin: SourceOrigin(element.node.range)) }
        }
    }

    /// `true` or `false`.
    mutating func boolean(_ entry: KeyedEntry?) -> Bool? {
        guard let entry else { return nil }
        switch entry.node.content {
        case .scalar("true", isQuoted: false): return true
        case .scalar("false", isQuoted: false): return false
        default:
            reportType("true or false", entry)
            return nil
        }
    }

    mutating func word<Value>(_ entry: KeyedEntry?, _ words: [(name: String, value: Value)]) -> Value? {
        guard let entry, let text = string(entry) else { return nil }
        if let match = words.first(where: { $0.name == text }) { return match.value }
        let names = words.map(\.name)
        let meant = suggestion(for: text, among: names)
        report(
            .unknownWord, "unknown value \(quoted(text)) for \(quoted(entry.key))",
            advice: meant.map(Spelling.question) ?? "it can be \(names.joined(separator: ", "))",
            at: entry.offset)
        return nil
    }

    /// A percentage such as `12.5%`.
    mutating func share(_ entry: KeyedEntry?) -> TrafficShare? {
        guard let entry else { return nil }
        let found = entry.node.text ?? ""
        let label = quoted(entry.key)
        do throws(Hundredths.Failure) {
            guard found.hasSuffix("%") else { throw .notANumber }
            let buckets = try Hundredths.parse(found.dropLast())
            guard buckets <= TrafficShare.all.buckets else { throw .tooLarge }
            return TrafficShare(buckets: buckets)
        } catch {
            switch error {
            case .tooFine:
                report(
                    .percentage, "\(label) is finer than a bucket, found \(entry.node.summary)",
                    advice: "buckets are 0.01% of the users", at: entry.offset)
            case .tooLarge:
                report(
                    .percentage, "\(label) is more than 100%, found \(entry.node.summary)", at: entry.offset)
            case .notANumber:
                let number = try? Hundredths.parse(found[...])
                let share = number.map { (1...100).contains($0) ? "\($0)% or " : "" }
                report(
                    .percentage, "expected a percentage for \(label), found \(entry.node.summary)",
                    advice: share.map { "write \($0)\(found)%" } ?? "write it like 12.5%", at: entry.offset)
            }
            return nil
        }
    }

    /// The weight of a variation, in hundredths.
    mutating func weight(_ entry: KeyedEntry) -> Int? {
        let label = quoted(entry.key)
        do throws(Hundredths.Failure) {
            let weight = try Hundredths.parse((entry.node.text ?? "")[...])
            guard weight <= 100_000_000 else { throw .tooLarge }
            return weight
        } catch {
            switch error {
            case .tooFine:
                report(
                    .weight, "the weight of \(label) has more than two decimals, found \(entry.node.summary)",
                    advice: "multiply all weights of the split by ten", at: entry.offset)
            case .tooLarge:
                report(.weight, "the weight of \(label) is more than 1000000", at: entry.offset)
            case .notANumber:
                let isPercentage = entry.node.text?.hasSuffix("%") == true
                report(
                    .weight, "expected a number of at least 0 as weight of \(label), found \(entry.node.summary)",
                    advice: isPercentage ? "weights are relative to each other and have no %" : nil, at: entry.offset)
            }
            return nil
        }
    }

    /// Reports a value of another type than expected.
    mutating func reportType(_ expected: String, _ entry: KeyedEntry, advice: String? = nil) {
        report(
            .wrongType, "expected \(expected) for \(quoted(entry.key)), found \(entry.node.summary)", advice: advice,
            at: entry.offset)
    }
}

extension Node {
    /// The description of the value in messages: a short scalar as it is, or the kind of value.
    var summary: String {
        switch content {
        case .sequence(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .mapping(let members): members.isEmpty ? "an empty mapping" : "a mapping"
        case .scalar("", isQuoted: false): "nothing"
        case .scalar(let text, let isQuoted):
            isQuoted || Node.literal(text) == nil ? quoted(text) : String(text.prefix(40))
        }
    }
}

/// A text in quotes for a message: escaped, and shortened if it is long.
func quoted(_ text: String) -> String {
    JSONValue.string(text.utf8.count <= 60 ? text : String(text.prefix(40)) + "…").compactText
}

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
                text += JSONValue.string(scalar).compactText
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
                text += (known.count == 1 ? "" : ",") + JSONValue.string(member.key.text).compactText + ":"
                member.value.writeCompact(to: &text)
            }
            text += "}"
        }
    }
}
