/// The way from the root of a project file to a value: `flags.checkout.rules.checkout_ab.traffic`.
///
/// Steps are keys of mappings. In a list of rules a step is the key of a rule; in any list it can be a position,
/// counted from 0: `rules[0]`. Keys with dots, brackets or quotes are in quotes: `flags."a.b".else`.
package struct EditPath: Sendable, Equatable, CustomStringConvertible {
    package enum Step: Sendable, Equatable {
        /// The key of a member, or of a rule.
        case key(String)
        /// The position of an element.
        case index(Int)
    }

    /// The steps from the root.
    package var steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Reads a path.
    ///
    /// - Throws: A diagnostic without a place if the text is not a path.
    package init(_ text: String) throws(Diagnostic) {
        var rest = Substring(text).unicodeScalars
        steps = []
        while !rest.isEmpty || steps.isEmpty {
            // No file has values below that.
            guard steps.count < 512 else { throw Self.invalid(text, "it has more than 512 steps") }
            switch rest.first {
            case "[": steps.append(.index(try Self.index(from: &rest, of: text)))
            case "\"": steps.append(.key(try Self.quotedKey(from: &rest, of: text)))
            default:
                let key = rest.prefix { $0 != "." && $0 != "[" }
                guard !key.isEmpty else { throw Self.invalid(text, "a key is empty") }
                rest = rest.dropFirst(key.count)
                steps.append(.key(String(key)))
            }
            if rest.first == "." {
                rest.removeFirst()
                guard !rest.isEmpty else { throw Self.invalid(text, "a key is missing after the last dot") }
            } else if !rest.isEmpty, rest.first != "[" {
                throw Self.invalid(text, "a dot is missing after a quote or bracket")
            }
        }
    }

    private static func index(
        from rest: inout Substring.UnicodeScalarView, of text: String
    ) throws(Diagnostic) -> Int {
        let digits = rest.dropFirst().prefix { ("0"..."9").contains($0) }
        rest = rest.dropFirst(digits.count + 1)
        guard rest.first == "]", let index = Int(String(digits)) else {
            throw invalid(text, "brackets hold the position of an element")
        }
        rest.removeFirst()
        return index
    }

    private static func quotedKey(
        from rest: inout Substring.UnicodeScalarView, of text: String
    ) throws(Diagnostic) -> String {
        var key = String.UnicodeScalarView()
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return String(key) }
            guard let next = scalar == "\\" ? rest.popFirst() : scalar else { break }
            key.append(next)
        }
        throw invalid(text, "a quote is not closed")
    }

    private static func invalid(_ text: String, _ reason: String) -> Diagnostic {
        Diagnostic(
            .error, "edit-path", "\"\(text)\" is not the path of a value: \(reason)",
            advice: "Write keys with dots between them, such as flags.checkout.rules.checkout_ab.traffic.")
    }

    /// The path as it is written.
    package var description: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key):
                let isPlain = !key.isEmpty && !key.unicodeScalars.contains { ".[\"\\".unicodeScalars.contains($0) }
                let escaped = key.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
                text += (text.isEmpty ? "" : ".") + (isPlain ? key : "\"\(escaped)\"")
            }
        }
    }
}

/// Where a path leads in a project file: to a child of a collection, or to a key that is not there yet.
struct EditPlace {
    /// The collections from the root to the one that holds the value, each with the position of the child to go to.
    private(set) var ancestors: [(node: Node, index: Int)] = []
    /// The collection that holds the value.
    private(set) var parent: Node
    /// The position of the value in it; nil if it is added.
    private(set) var index: Int?
    /// The key that is added.
    private(set) var key = ""
    /// Whether a collection around the parent is in flow style.
    private(set) var isInFlow = false

    fileprivate static let ruleKinds = ["experiment", "bandit", "rollout", "delivery"]

    /// Follows a path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - root: The root of the file.
    ///   - text: The text of the file.
    ///   - adds: Whether the last key may be missing.
    /// - Throws: A diagnostic if the path does not lead to a value, or leads into a shared one.
    init(_ path: EditPath, from root: Node, in text: EditedText, adds: Bool) throws(Diagnostic) {
        parent = root
        guard !path.steps.isEmpty else { throw Diagnostic(.error, "edit-path", "the path is empty") }
        for (depth, step) in path.steps.enumerated() {
            let place = EditPath(Array(path.steps[..<depth]))
            if depth > 0 { descend(text) }
            try text.refuseShared(parent, at: place)
            index = try Self.find(step, in: parent, at: place, text)
            if index == nil, depth == path.steps.count - 1, adds, case .key(let key) = step,
                case .mapping = parent.content
            {
                self.key = key
                return
            }
            guard index != nil else { throw Self.missing(step, in: parent, at: place, text) }
        }
        if let index { try text.refuseAnchors(in: parent, at: index, path) }
    }

    private mutating func descend(_ text: EditedText) {
        guard let index else { return }
        isInFlow = isInFlow || text.isFlow(parent)
        ancestors.append((parent, index))
        parent = parent.child(at: index)
        self.index = nil
    }

    // MARK: Steps

    private static func find(
        _ step: EditPath.Step, in node: Node, at place: EditPath, _ text: EditedText
    ) throws(Diagnostic) -> Int? {
        let found: [Int]
        switch (step, node.content) {
        case (.index(let index), .sequence(let elements)): found = elements.indices.contains(index) ? [index] : []
        case (.index, .mapping): throw text.error("\(name(place)) is a mapping, not a list", at: node)
        case (.key(let key), .mapping(let members)): found = members.indices.filter { members[$0].key.text == key }
        case (.key(let key), .sequence(let elements)): found = elements.indices.filter { elements[$0].ruleKey == key }
        case (_, .scalar): throw text.error("\(name(place)) is a single value; nothing is inside", at: node)
        }
        if found.count > 1 {
            throw text.error(
                "\(name(place)) has \(name(EditPath([step]))) \(found.count) times", at: node.child(at: found[1]),
                advice: "Keep one of them first.")
        }
        return found.first
    }

    private static func missing(
        _ step: EditPath.Step, in node: Node, at place: EditPath, _ text: EditedText
    ) -> Diagnostic {
        let keys: [String]
        let kind: String
        switch node.content {
        case .mapping(let members): (keys, kind) = (members.map(\.key.text), "keys")
        case .sequence(let elements): (keys, kind) = (elements.compactMap(\.ruleKey), "rules")
        case .scalar: (keys, kind) = ([], "keys")
        }
        switch step {
        case .index(let index):
            return text.error(
                "\(name(place)) has no element [\(index)]; it has \(node.childCount), counted from [0]", at: node)
        case .key(let key):
            let listed = keys.prefix(20).map { EditPath([.key($0)]).description }.joined(separator: ", ")
            let more = keys.count > 20 ? ", and \(keys.count - 20) more" : ""
            return text.error(
                "\(name(place)) has no \(name(EditPath([step]))); "
                    + (keys.isEmpty ? "it has no \(kind)" : "its \(kind) are \(listed)\(more)"),
                at: node, advice: Spelling.suggestion(for: key, among: keys))
        }
    }

    private static func name(_ path: EditPath) -> String {
        path.steps.isEmpty ? "the file" : "\"\(path)\""
    }

    // MARK: Result

    /// The root with another value at the place.
    func setting(_ value: Node) -> Node {
        changing { node in
            switch (node.content, index) {
            case (.mapping(var members), let index?):
                members[index].value = value
                node.content = .mapping(members)
            case (.mapping(var members), nil):
                members.append(Node.Member(Node.Key(key), value))
                node.content = .mapping(members)
            case (.sequence(var elements), let index?):
                elements[index] = value
                node.content = .sequence(elements)
            default: break
            }
        }
    }

    /// The root without the value.
    func removing() -> Node {
        changing { node in
            switch (node.content, index) {
            case (.mapping(var members), let index?):
                members.remove(at: index)
                node.content = .mapping(members)
            case (.sequence(var elements), let index?):
                elements.remove(at: index)
                node.content = .sequence(elements)
            default: break
            }
        }
    }

    private func changing(_ change: (inout Node) -> Void) -> Node {
        var node = parent
        change(&node)
        return ancestors.reversed().reduce(node) { child, ancestor in
            ancestor.node.replacingChild(ancestor.index, child)
        }
    }
}

extension Node {
    /// The value that a path leads to; nil if there is none, or if it is null.
    package func value(at path: EditPath) -> Node? {
        var node = self
        for step in path.steps {
            let next: Node?
            switch (step, node.content) {
            case (.index(let index), .sequence(let elements)):
                next = elements.indices.contains(index) ? elements[index] : nil
            case (.key(let key), .sequence(let elements)): next = elements.first { $0.ruleKey == key }
            case (.key(let key), _): next = node[key]
            case (.index, _): next = nil
            }
            guard let next, !next.isNothing else { return nil }
            node = next
        }
        return node
    }

    /// The number of members or elements.
    var childCount: Int {
        switch content {
        case .scalar: 0
        case .sequence(let elements): elements.count
        case .mapping(let members): members.count
        }
    }

    /// The value of a member, or an element; the node itself if it has no children.
    func child(at index: Int) -> Node {
        switch content {
        case .scalar: self
        case .sequence(let elements): elements[index]
        case .mapping(let members): members[index].value
        }
    }

    fileprivate func replacingChild(_ index: Int, _ child: Node) -> Node {
        var result = self
        switch content {
        case .scalar: break
        case .sequence(var elements):
            elements[index] = child
            result.content = .sequence(elements)
        case .mapping(var members):
            members[index].value = child
            result.content = .mapping(members)
        }
        return result
    }
}

extension Node {
    /// The steps that a path can take from here: keys of members or of rules, as a path spells them.
    package var steps: [String] {
        (members.map(\.key.text) + elements.compactMap(\.ruleKey)).map { EditPath([.key($0)]).description }
    }
}

extension Node {
    /// The key of a rule; nil for another node.
    package var ruleKey: String? { members.first { EditPlace.ruleKinds.contains($0.key.text) }?.value.text }
}
