package import TurnoutEngine

extension Node {
    /// Reads a project file, or a datafile, in JSON.
    ///
    /// - Throws: A diagnostic with the place of the first error in the syntax; a comma after the last element is one in
    ///   project files.
    /// - Complexity: O(n) in the size of the text.
    package init(
        json source: SourceFile, limits: JSONLimits = .standard, countLimit: Int = Node.countLimit
    ) throws(Diagnostic) {
        if let problem = source.sizeProblem() { throw problem }
        var count = NodeCount(rest: countLimit)
        do throws(JSONError) {
            self = try source.bytes.withBytes { (bytes) throws(JSONError) in
                try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in
                    try reader.readNode(&count)
                }
            }
        } catch {
            let offset = source.offset(line: error.line, byte: error.column)
            let other = Diagnostic(
                .error, SyntaxProblem(ofJSON: error).rawValue, error.message, at: source.position(of: offset))
            throw source.encodingProblem ?? source.conflict(isUnreadable: true) ?? other
        }
        if let offset = count.excess { throw source.countProblem(at: offset, limit: countLimit) }
        // Datafiles and files of other tools are read as leniently as clients read them.
        if self["project"] != nil { try refuseTrailingCommas(in: source) }
    }

    /// The engine accepts commas after the last element. Other programs that read project files do not.
    private func refuseTrailingCommas(in source: SourceFile) throws(Diagnostic) {
        switch content {
        case .scalar: return
        case .sequence(let elements): for element in elements { try element.refuseTrailingCommas(in: source) }
        case .mapping(let members): for member in members { try member.value.refuseTrailingCommas(in: source) }
        }
        let end = range.upperBound - 1
        guard end > range.lowerBound, let comma = source.trailingComma(before: end) else { return }
        throw Diagnostic(
            .error, SyntaxProblem.syntax.rawValue,
            "a comma before \(source.text(in: end..<end + 1)), with nothing between them; JSON has no trailing commas",
            advice: "Remove the comma.", at: source.position(of: comma))
    }

    /// The node as JSON, indented by two spaces, with a newline at the end. Keys keep their order.
    package var json: String {
        var text = ""
        write(to: &text, indentation: "")
        return text + "\n"
    }

    private func write(to text: inout String, indentation: String) {
        let inner = indentation + "  "
        switch content {
        case .scalar(let scalar, let isQuoted):
            if !isQuoted, Self.literal(scalar) != nil {
                text += scalar.isEmpty || scalar == "~" ? "null" : scalar
            } else {
                text += JSONValue.string(scalar).compactText
            }
        case .sequence(let elements):
            text += elements.isEmpty ? "[]" : "["
            for (index, element) in elements.enumerated() {
                text += (index == 0 ? "\n" : ",\n") + inner
                element.write(to: &text, indentation: inner)
            }
            if !elements.isEmpty { text += "\n\(indentation)]" }
        case .mapping(let members):
            text += members.isEmpty ? "{}" : "{"
            for (index, member) in members.enumerated() {
                text += (index == 0 ? "\n" : ",\n") + inner + JSONValue.string(member.key.text).compactText + ": "
                member.value.write(to: &text, indentation: inner)
            }
            if !members.isEmpty { text += "\n\(indentation)}" }
        }
    }
}

extension SyntaxProblem {
    /// The kind of an error of the engine, which has no codes.
    fileprivate init(ofJSON error: JSONError) {
        self =
            switch error.message {
            case "invalid UTF-8": .encoding
            case "nested too deeply": .limit
            default: .syntax
            }
    }
}

/// How many values may still be read.
private struct NodeCount {
    var rest: Int
    /// The place of the first value above the limit.
    private(set) var excess: Int?

    init(rest: Int) { self.rest = rest }

    /// Counts a value or a key. Returns whether it is within the limit.
    mutating func allows(offset: Int) -> Bool {
        rest -= 1
        if rest < 0, excess == nil { excess = offset }
        return rest >= 0
    }
}

extension JSONReader {
    /// Reads a value. Those above the limit are skipped.
    fileprivate mutating func readNode(_ count: inout NodeCount) throws(JSONError) -> Node {
        let next = peek()
        let first = offset
        guard count.allows(offset: first) else {
            try skipValue()
            return Node(.scalar("", isQuoted: false))
        }
        let content: Node.Content =
            switch next {
            case UInt8(ascii: "{"): .mapping(try readNodeMembers(&count))
            case UInt8(ascii: "["): .sequence(try readNodeElements(&count))
            case UInt8(ascii: "\""): .scalar(try readString().string, isQuoted: true)
            default: .scalar(try readLiteralText(), isQuoted: false)
            }
        return Node(content, range: first..<offset)
    }

    private mutating func readNodeMembers(_ count: inout NodeCount) throws(JSONError) -> [Node.Member] {
        var members: [Node.Member] = []
        var isFirst = true
        try enterObject()
        while let key = try nextKeyWithRange(isFirst: &isFirst) {
            let isAllowed = count.allows(offset: key.range.lowerBound)
            do throws(JSONError) {
                let value = try readNode(&count)
                if isAllowed { members.append(Node.Member(Node.Key(key.text, range: key.range), value)) }
            } catch { throw error.inside(.key(key.text)) }
        }
        return members
    }

    private mutating func readNodeElements(_ count: inout NodeCount) throws(JSONError) -> [Node] {
        var elements: [Node] = []
        var isFirst = true
        try enterArray()
        while try nextElement(isFirst: &isFirst) {
            do throws(JSONError) {
                let element = try readNode(&count)
                if count.excess == nil { elements.append(element) }
            } catch {
                throw error.inside(.index(elements.count))
            }
        }
        return elements
    }
}
