package import TurnoutEngine

extension Node {
    /// Reads a project file, or a datafile, in JSON.
    ///
    /// - Throws: A diagnostic with the place of the first error in the syntax; a comma after the last element is one in
    ///   project files.
    /// - Complexity: O(n) in the size of the text.
    package init(json source: SourceFile, limits: JSONLimits = .standard) throws(Diagnostic) {
        do throws(JSONError) {
            self = try source.bytes.withBytes { (bytes) throws(JSONError) in
                try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in try reader.readNode() }
            }
        } catch {
            let offset = source.offset(line: error.line, byte: error.column)
            let other = Diagnostic(
                .error, SyntaxProblem.syntax.rawValue, error.message, at: source.position(of: offset))
            throw source.conflict(isUnreadable: true) ?? other
        }
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
                text += Self.quoted(scalar)
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
                text += (index == 0 ? "\n" : ",\n") + inner + Self.quoted(member.key.text) + ": "
                member.value.write(to: &text, indentation: inner)
            }
            if !members.isEmpty { text += "\n\(indentation)}" }
        }
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return writer.text
    }
}

extension JSONReader {
    fileprivate mutating func readNode() throws(JSONError) -> Node {
        let next = peek()
        let first = offset
        let content: Node.Content =
            switch next {
            case UInt8(ascii: "{"): .mapping(try readNodeMembers())
            case UInt8(ascii: "["): .sequence(try readNodeElements())
            case UInt8(ascii: "\""): .scalar(try readString().string, isQuoted: true)
            default: .scalar(try readLiteralText(), isQuoted: false)
            }
        return Node(content, range: first..<offset)
    }

    private mutating func readNodeMembers() throws(JSONError) -> [Node.Member] {
        var members: [Node.Member] = []
        var isFirst = true
        try enterObject()
        while let key = try nextKeyWithRange(isFirst: &isFirst) {
            do throws(JSONError) {
                members.append(Node.Member(Node.Key(key.text, range: key.range), try readNode()))
            } catch { throw error.inside(.key(key.text)) }
        }
        return members
    }

    private mutating func readNodeElements() throws(JSONError) -> [Node] {
        var elements: [Node] = []
        var isFirst = true
        try enterArray()
        while try nextElement(isFirst: &isFirst) {
            do throws(JSONError) { elements.append(try readNode()) } catch {
                throw error.inside(.index(elements.count))
            }
        }
        return elements
    }
}
