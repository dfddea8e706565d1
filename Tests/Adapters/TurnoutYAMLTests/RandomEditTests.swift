@Suite struct RandomEditTests {
    @Test func editsOfRandomYAMLChangeOneValueAndNoComment() throws {
        for round in 0..<rounds(200, thorough: 2_000) {
            var random = RandomNodes(round: round)
            let text = commented(random.mapping(depth: 4), &random)
            try check(text, format: .yaml, round: round, &random)
        }
    }

    @Test func editsOfRandomJSONChangeOneValue() throws {
        for round in 0..<rounds(200, thorough: 2_000) {
            var random = RandomNodes(round: round)
            try check(random.mapping(depth: 4).json, format: .json, round: round, &random)
        }
    }

    private func check(_ text: String, format: ProjectEdit.Format, round: Int, _ random: inout RandomNodes) throws {
        let source = SourceFile(name: "x", bytes: Array(text.utf8))
        let root = try parse(source, format)
        let edit = randomEdit(of: root, &random)
        let about = "round \(round), seed \(RandomNodes.seed), \(edit.path): \(text.debugDescription)"
        guard !edit.path.steps.isEmpty else { return }
        #expect(throws: Never.self, "\(about)") {
            #expect(try EditPath(edit.path.description) == edit.path)
            let result = try edit.apply(to: source, root: root, format: format)
            let reread = try parse(SourceFile(name: "x", bytes: result.bytes), format)
            #expect(
                reread.hasSameContent(as: result.root),
                "\(about) \(String(decoding: result.bytes, as: UTF8.self).debugDescription)")
            #expect(result.bytes.starts(with: source.bytes[..<result.replaced.lowerBound]))
            #expect(result.bytes.reversed().starts(with: source.bytes[result.replaced.upperBound...].reversed()))
        }
    }

    private func parse(_ source: SourceFile, _ format: ProjectEdit.Format) throws(Diagnostic) -> Node {
        format == .json ? try Node(json: source) : try Node(yaml: source)
    }

    /// The text of a node with comments above and behind its lines, wherever they do not change the node.
    private func commented(_ node: Node, _ random: inout RandomNodes) -> String {
        var lines = node.yaml().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        for _ in 0..<random.upTo(6) {
            var changed = lines
            let index = random.upTo(lines.count - 1)
            if random.upTo(1) == 0 {
                changed[index] += "  # behind"
            } else {
                changed.insert(String(repeating: " ", count: random.upTo(8)) + "# above", at: index)
            }
            if let result = try? read(changed.joined(separator: "\n")), result.hasSameContent(as: node) {
                lines = changed
            }
        }
        return lines.joined(separator: random.upTo(3) == 0 ? "\r\n" : "\n")
    }

    private func randomEdit(of root: Node, _ random: inout RandomNodes) -> ProjectEdit {
        var steps: [EditPath.Step] = []
        var node = root
        while true {
            switch node.content {
            case .mapping(let members) where random.upTo(3) == 0 || members.isEmpty:
                let key = "new " + random.text()
                guard !members.contains(where: { $0.key.text == key }) else { continue }
                steps.append(.key(key))
                return ProjectEdit(EditPath(steps), .set(random.node(depth: 2)))
            case .mapping(let members) where random.upTo(3) == 0:
                let key = random.upTo(1) == 0 ? random.pick(members).key.text : "copy " + random.text()
                let source = EditPath(steps + [.key(random.pick(members).key.text)])
                return ProjectEdit(EditPath(steps + [.key(key)]), .copy(from: source))
            case .mapping(let members):
                let member = random.pick(members)
                steps.append(.key(member.key.text))
                node = member.value
            case .sequence(let elements) where !elements.isEmpty:
                let index = random.upTo(elements.count - 1)
                steps.append(.index(index))
                node = elements[index]
            default: break
            }
            let isLeaf = if case .scalar = node.content { true } else { random.upTo(3) == 0 }
            if case .sequence(let elements) = node.content, elements.isEmpty { break }
            if isLeaf { break }
        }
        return ProjectEdit(EditPath(steps), random.upTo(2) == 0 ? .remove : .set(random.node(depth: 2)))
    }
}
