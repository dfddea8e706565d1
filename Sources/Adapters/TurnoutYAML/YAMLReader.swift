import TurnoutEngine
import TurnoutFlags

/// Builds a node from the events of a YAML text. Its stack is its own, so depth costs no stack of the thread.
struct YAMLReader {
    /// A collection that is being read.
    private struct OpenCollection {
        let isMapping: Bool
        let isFlow: Bool
        let anchor: String?
        let start: Int
        var end: Int
        var key: Node.Key?
        var members: [Node.Member] = []
        var elements: [Node] = []
        /// The size of the tree that is complete: all nodes, and the levels of collections below this one.
        var size = 1
        var depth = 0
    }

    /// A node that aliases can name.
    private struct Anchor {
        /// The node with its nodes and levels; nil inside the node.
        var tree: (node: Node, size: Int, depth: Int)?
    }

    private let text: UnsafeBufferPointer<UInt8>
    private let source: SourceFile
    private let limits: YAMLLimits
    /// The offset of the text in the source file, 3 after a byte order mark.
    private let base: Int
    private var offsets: CharacterOffsets
    private var stack: [OpenCollection] = []
    private var anchors: [String: Anchor] = [:]
    private var aliasedNodes = 0
    private var nodes = 0
    /// The brackets and braces that are open, and their sum over all values.
    private var flowDepth = 0
    private var flowLevels = 0
    private var root: Node?

    /// Creates a reader of the text of a source file, without its byte order mark.
    init(_ text: UnsafeBufferPointer<UInt8>, in source: SourceFile, limits: YAMLLimits) {
        self.text = text
        self.source = source
        self.limits = limits
        base = source.bytes.count - text.count
        offsets = CharacterOffsets(text)
    }

    mutating func readDocument() throws(Diagnostic) -> Node {
        try refuseDirectives()
        guard var parser = YAMLParser(text) else { throw error(.limit, "out of memory", at: base) }
        while true {
            let event: YAMLEvent
            do throws(YAMLSyntaxError) { event = try parser.next() } catch { throw diagnostic(for: error) }
            switch event.content {
            case .start: break
            case .scalar, .alias, .sequenceStart, .mappingStart, .collectionEnd: try read(event)
            case .documentEnd: return try finish(restAt: offset(event.place.upperBound))
            case .streamEnd: return try finish(restAt: source.bytes.count)
            }
        }
    }

    // MARK: Nodes

    private mutating func read(_ event: YAMLEvent) throws(Diagnostic) {
        let range = offset(event.place.lowerBound)..<offset(event.place.upperBound)
        nodes += 1
        guard nodes <= limits.nodes else { throw source.countProblem(at: range.lowerBound, limit: limits.nodes) }
        flowLevels += flowDepth
        guard flowLevels <= limits.flowLevels else {
            throw error(
                .limit, "too many values inside \(flowDepth) brackets and braces", at: range.lowerBound,
                advice: "Write the outer lists and mappings in block style, on lines of their own.")
        }
        if event.hasTag {
            throw error(
                .unsupportedYAML, "tags such as !name are not supported", at: range.lowerBound,
                advice: "Remove the tag: each value is read as the type that is expected there.")
        }
        switch event.content {
        case .scalar(let text, let style) where stack.last?.isMapping == true && stack.last?.key == nil:
            try readKey(text, style, anchor: event.anchor, range)
        case .scalar(let text, let style):
            let range = style == .block ? trimmed(range, text) : range
            let node = Node(.scalar(text, isQuoted: style != .plain), range: range)
            if let anchor = event.anchor { anchors[anchor] = Anchor(tree: (node, 1, 0)) }
            append(node, size: 1, depth: 0)
        case .alias(let name): try readAlias(name, range)
        case .sequenceStart(let isFlow): try open(event, isMapping: false, isFlow: isFlow, range)
        case .mappingStart(let isFlow): try open(event, isMapping: true, isFlow: isFlow, range)
        default: close(end: range.upperBound)
        }
    }

    private mutating func open(
        _ event: YAMLEvent, isMapping: Bool, isFlow: Bool, _ range: Range<Int>
    ) throws(Diagnostic) {
        try expectValue(at: range.lowerBound)
        guard stack.count < limits.text.depth else {
            throw error(.limit, "nested too deeply; the limit is \(limits.text.depth) levels", at: range.lowerBound)
        }
        if let anchor = event.anchor { anchors[anchor] = Anchor() }
        if isFlow { flowDepth += 1 }
        stack.append(
            OpenCollection(
                isMapping: isMapping, isFlow: isFlow, anchor: event.anchor, start: range.lowerBound,
                end: range.upperBound))
    }

    private mutating func close(end: Int) {
        guard let last = stack.popLast() else { return }
        if last.isFlow { flowDepth -= 1 }
        // In block style libyaml finds the end only at what follows, after comments.
        let range = last.start..<max(last.start, last.isFlow ? end : last.end)
        let node = Node(last.isMapping ? .mapping(last.members) : .sequence(last.elements), range: range)
        if let anchor = last.anchor { anchors[anchor] = Anchor(tree: (node, last.size, last.depth + 1)) }
        append(node, size: last.size, depth: last.depth + 1)
    }

    private mutating func append(_ node: Node, size: Int, depth: Int) {
        guard let top = stack.indices.last else {
            root = node
            return
        }
        if let key = stack[top].key {
            stack[top].members.append(Node.Member(key, node))
            stack[top].key = nil
        } else {
            stack[top].elements.append(node)
        }
        stack[top].end = max(stack[top].end, node.range.upperBound)
        stack[top].size += size
        stack[top].depth = max(stack[top].depth, depth)
    }

    /// The range of a scalar after `|` or `>` without the blank lines that follow, unless they belong to it.
    private func trimmed(_ range: Range<Int>, _ text: String) -> Range<Int> {
        let isKept = text == "\n" || text.utf8.suffix(2).elementsEqual([0x0A, 0x0A])
        var end = range.upperBound
        if isKept {
            if end > range.lowerBound, source.bytes[end - 1] == 0x0A { end -= 1 }
            if end > range.lowerBound, source.bytes[end - 1] == 0x0D { end -= 1 }
        } else {
            while end > range.lowerBound + 1, source.bytes[end - 1] <= 0x20 { end -= 1 }
        }
        return range.lowerBound..<end
    }

    // MARK: Keys

    private mutating func readKey(
        _ text: String, _ style: YAMLEvent.ScalarStyle, anchor: String?, _ range: Range<Int>
    ) throws(Diagnostic) {
        if text == "<<", style == .plain {
            throw error(
                .unsupportedYAML, "merge keys (<<) are not supported", at: range.lowerBound,
                advice: "Write the members out, or give the whole value with an alias.")
        }
        if let anchor { anchors[anchor] = Anchor(tree: (Node(.scalar(text, isQuoted: true), range: range), 1, 0)) }
        stack[stack.count - 1].key = Node.Key(text, range: range)
        stack[stack.count - 1].end = range.upperBound
    }

    /// Refuses lists, mappings and aliases in the place of a key.
    private func expectValue(at offset: Int) throws(Diagnostic) {
        guard let top = stack.last, top.isMapping, top.key == nil else { return }
        throw error(
            .unsupportedYAML, "expected a key, found a list, a mapping or an alias", at: offset,
            advice: "Write the key as plain text. Quote text that begins with *, [ or {.")
    }

    // MARK: Aliases

    private mutating func readAlias(_ name: String, _ range: Range<Int>) throws(Diagnostic) {
        try expectValue(at: range.lowerBound)
        guard let anchor = anchors[name] else {
            let nearest = Spelling.nearest(to: name, among: Array(anchors.keys.sorted().prefix(1_000)))
            throw error(
                .unknownAlias, "no anchor &\(name) comes before the alias *\(name)", at: range.lowerBound,
                advice: nearest.map { Spelling.question("*" + $0) } ?? "Quote text that begins with an asterisk.")
        }
        guard let tree = anchor.tree else {
            throw error(
                .recursiveAlias, "the alias *\(name) is inside the node that it names", at: range.lowerBound,
                advice: "Write the value out.")
        }
        aliasedNodes += tree.size
        guard aliasedNodes <= limits.aliasedNodes else {
            throw error(
                .limit, "the aliases up to *\(name) stand for more than \(limits.aliasedNodes) values",
                at: range.lowerBound, advice: "Use fewer aliases inside anchors.")
        }
        guard stack.count + tree.depth <= limits.text.depth else {
            throw error(
                .limit, "with the alias *\(name) nested too deeply; the limit is \(limits.text.depth) levels",
                at: range.lowerBound)
        }
        append(Node(tree.node.content, range: range), size: tree.size, depth: tree.depth)
    }

    // MARK: Documents

    /// Refuses `%YAML` and `%TAG` before the document. libyaml reads any number of them, in quadratic time.
    private func refuseDirectives() throws(Diagnostic) {
        var rest = text[...]
        while let byte = rest.first, byte == 0x0A || byte == 0x0D || byte == 0x20 || byte == UInt8(ascii: "#") {
            if byte == UInt8(ascii: "#") {
                rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            } else {
                rest = rest.dropFirst()
            }
        }
        guard rest.first == UInt8(ascii: "%") else { return }
        throw error(
            .unsupportedYAML, "directives such as %YAML are not supported", at: base + rest.startIndex,
            advice: "Remove the line.")
    }

    /// The document that was read, if only white space and comments follow.
    private func finish(restAt start: Int) throws(Diagnostic) -> Node {
        guard let root, !isEmpty(root) else {
            throw error(.empty, "the file is empty; expected a mapping, such as project: shop", at: base)
        }
        var rest = source.bytes[start...]
        while let byte = rest.first {
            if byte == UInt8(ascii: "#") {
                rest = rest.drop { $0 != 0x0A && $0 != 0x0D }
            } else if byte <= 0x20, byte != 0 {
                rest = rest.dropFirst()
            } else if rest.starts(with: Array("...".utf8)) {
                rest = rest.dropFirst(3)
            } else {
                throw error(
                    .unsupportedYAML, "a second document or other text follows the end of the document",
                    at: rest.startIndex, advice: "Keep one document in a file.")
            }
        }
        return root
    }

    private func isEmpty(_ node: Node) -> Bool {
        guard case .scalar("", isQuoted: false) = node.content else { return false }
        return true
    }

    // MARK: Places

    private mutating func offset(_ character: Int) -> Int { base + offsets.offset(of: character) }

    private func error(
        _ problem: SyntaxProblem, _ message: String, at offset: Int, advice: String? = nil
    ) -> Diagnostic {
        Diagnostic(.error, problem.rawValue, message, advice: advice, at: source.position(of: offset))
    }

    private mutating func diagnostic(for error: YAMLSyntaxError) -> Diagnostic {
        let place =
            switch error.place {
            case .byte(let offset): base + offset
            case .character(let index): offset(index)
            }
        let begin = error.context.map { (text: $0.text, offset: offset($0.character)) }
        let explained = error.explained(at: place, begin: begin, in: source)
        return self.error(explained.problem, explained.message, at: explained.offset, advice: explained.advice)
    }
}

/// The byte offsets of the characters of a UTF-8 text. libyaml counts characters; source files count bytes.
///
/// Offsets that are asked for in ascending order take linear time together.
struct CharacterOffsets {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let isASCII: Bool
    private var character = 0
    private var byte = 0

    /// Creates the offsets of a text.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
        isASCII = bytes.allSatisfy { $0 < 0x80 }
    }

    /// The offset of a character, counted from 0; at most the size of the text.
    mutating func offset(of wanted: Int) -> Int {
        if isASCII { return min(wanted, bytes.count) }
        while character < wanted, byte < bytes.count {
            byte += 1
            while byte < bytes.count, bytes[byte] & 0xC0 == 0x80 { byte += 1 }
            character += 1
        }
        while character > wanted, byte > 0 {
            byte -= 1
            while byte > 0, bytes[byte] & 0xC0 == 0x80 { byte -= 1 }
            character -= 1
        }
        return byte
    }
}
