import FuzzDriver
import TurnoutFlags
import TurnoutYAML

/// Any bytes are a node or a diagnostic with a place; a node is written as YAML that reads back as itself.
@main struct FuzzProjectYAML {
    static func main() {
        fuzz { start, count in
            let source = SourceFile(name: "flags.yaml", bytes: bytes(start, count))
            var limits = YAMLLimits()
            limits.aliasedNodes = 2_000
            do throws(Diagnostic) {
                let node = try Node(yaml: source, limits: limits)
                precondition(node.range.upperBound <= count, "a place after the end")
                FuzzProjectYAML.checkText(of: node)
                FuzzProjectYAML.edit(node, in: source)
            } catch {
                precondition(error.position != nil && !error.message.isEmpty, "an error without a place")
            }
            return 0
        }
    }

    private static func checkText(of node: Node) {
        let text = node.yaml()
        do throws(Diagnostic) {
            let result = try Node(yaml: SourceFile(name: "written", bytes: Array(text.utf8)))
            precondition(result.hasSameContent(as: node), "another node is read")
        } catch { preconditionFailure(error.text(in: "written")) }
    }

    /// Edits may be refused, but must not trap.
    private static func edit(_ node: Node, in source: SourceFile) {
        var steps: [EditPath.Step] = []
        var inner = node
        while steps.count < 8 {
            switch inner.content {
            case .mapping(let members):
                guard let member = members.last else { return }
                steps.append(.key(member.key.text))
                inner = member.value
            case .sequence(let elements):
                guard let element = elements.last else { return }
                steps.append(.index(elements.count - 1))
                inner = element
            case .scalar: return
            }
            for change in [ProjectEdit.Change.remove, .set(Node(.scalar("new: value", isQuoted: true)))] {
                for path in [EditPath(steps), EditPath(steps + [.key("new")])] {
                    _ = try? ProjectEdit(path, change).apply(to: source, root: node, format: .yaml)
                }
            }
        }
    }
}
