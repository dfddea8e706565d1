/// A tree of lines.
struct TextTree {
    let line: String
    var branches: [TextTree] = []

    /// Replaces line breaks in names, which would break the tree.
    init(_ line: String, _ branches: [TextTree] = []) {
        self.line = line.contains(where: \.isNewline) ? line.map { $0.isNewline ? "␤" : String($0) }.joined() : line
        self.branches = branches
    }

    /// The tree as text, without a line break at the end.
    var text: String { lines.joined(separator: "\n") }

    private var lines: [String] {
        [line]
            + branches.enumerated().flatMap { index, branch in
                let isLast = index == branches.count - 1
                return branch.lines.enumerated().map { number, line in
                    let lead = number == 0 ? (isLast ? "└─ " : "├─ ") : (isLast ? "   " : "│  ")
                    return lead + line
                }
            }
    }
}
