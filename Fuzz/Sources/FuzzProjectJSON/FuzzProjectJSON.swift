import FuzzDriver
import TurnoutFlags

/// Any bytes are a node or a diagnostic with a place; a node is written as JSON that reads back as itself.
@main struct FuzzProjectJSON {
    static func main() {
        fuzz { start, count in
            let source = SourceFile(name: "flags.json", bytes: bytes(start, count))
            do throws(Diagnostic) {
                let node = try Node(json: source)
                precondition(node.range.upperBound <= count, "a place after the end")
                FuzzProjectJSON.checkText(of: node)
            } catch {
                precondition(error.position != nil && !error.message.isEmpty, "an error without a place")
            }
            return 0
        }
    }

    private static func checkText(of node: Node) {
        do throws(Diagnostic) {
            let result = try Node(json: SourceFile(name: "written", bytes: Array(node.json.utf8)))
            precondition(result.hasSameContent(as: node), "another node is read")
        } catch { preconditionFailure(error.text(in: "written")) }
    }
}
