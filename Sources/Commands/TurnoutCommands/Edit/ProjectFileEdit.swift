import TurnoutEngine
import TurnoutFlags

#if YAML
    import TurnoutYAML
#endif

/// Edits of a project file in place, which are written only if the project remains free of errors.
struct ProjectFileEdit {
    private let path: String
    /// The text that was read, which must still be there when the edited one is written.
    private let original: [UInt8]
    private(set) var source: ProjectSource

    /// Reads a project file.
    init(_ path: String) throws(CommandError) {
        self.path = path
        source = try ProjectSource(path)
        original = source.file.bytes
        guard !source.isDatafile else {
            throw CommandError("\(path): is a datafile, which is not edited", advice: "Use `turnout import` first.")
        }
        _ = try source.validProject()
    }

    /// Gives the value at a path a new text in YAML or JSON. A path that does not start with a key of projects
    /// starts in `flags`. Mappings that are missing on the way are added, unless their key is the name of a part.
    mutating func set(_ path: String, to text: String) throws(CommandError) {
        let value: Node
        do throws(Diagnostic) { value = try ProjectEdit.value(text, read: Self.read) } catch {
            throw CommandError("the value cannot be read: \(error.message)")
        }
        let fullPath = try editPath(path)
        if let problem = source.root.missingName(on: fullPath) {
            throw CommandError("\(self.path): \(problem.message)", advice: problem.advice)
        }
        let (place, node) = source.root.place(of: fullPath, for: value)
        try apply(.set(node), at: place)
    }

    /// Makes a change. The edited text must read as what the change means.
    mutating func apply(_ change: ProjectEdit.Change, at editPath: EditPath) throws(CommandError) {
        let format: ProjectEdit.Format = source.isJSON ? .json : .yaml
        let result: ProjectEdit.Result
        do throws(Diagnostic) {
            result = try ProjectEdit(editPath, change).apply(to: source.file, root: source.root, format: format)
        } catch {
            throw CommandError(error.text(in: path), advice: "Nothing was changed.")
        }
        source = try ProjectSource(path, bytes: result.bytes)
        guard source.root.hasSameContent(as: result.root) else {
            throw CommandError("\(path): the value cannot be written at \(editPath)", advice: "Nothing was changed.")
        }
    }

    /// Writes the file, unless it would have errors.
    func write() throws(CommandError) {
        _ = try source.validProject()
        guard try InputFile(path).readAll() == original else {
            throw CommandError("\(path): was changed by another program meanwhile", advice: "Try again.")
        }
        try OutputFile.write(source.file.bytes, to: path)
    }

    private func editPath(_ text: String) throws(CommandError) -> EditPath {
        do throws(Diagnostic) {
            let path = try EditPath(text)
            guard case .key(let first)? = path.steps.first, !ProjectPart.project.keys.contains(first) else {
                return path
            }
            return EditPath([.key("flags")] + path.steps)
        } catch { throw CommandError("\(text): \(error.message)", advice: error.advice) }
    }

    private static func read(_ file: SourceFile) throws(Diagnostic) -> Node {
        #if YAML
            return try Node(yaml: file)
        #else
            return try Node(json: file)
        #endif
    }
}

extension EditPath {
    private static let namedParts = ["flags", "experiments", "groups", "holdouts", "audiences", "environments"]

    /// Whether a step is the name of a part, such as a flag. A name that does not exist is a misspelt one.
    fileprivate func isName(at index: Int) -> Bool {
        switch index {
        case 1: Self.namedParts.contains { steps[0] == .key($0) }
        case 3: steps[0] == .key("flags") && (steps[2] == .key("variations") || steps[2] == .key("variables"))
        default: false
        }
    }
}

extension Node {
    /// What is wrong with a path that leads through a name that does not exist; nil if all exist.
    fileprivate func missingName(on path: EditPath) -> (message: String, advice: String)? {
        var node = self
        for (index, step) in path.steps.enumerated() {
            guard case .key(let key) = step, node.isMapping else { return nil }
            if let member = node.members.first(where: { $0.key.text == key }) {
                node = member.value
                continue
            }
            guard let name = (index..<path.steps.count).first(where: path.isName) else { return nil }
            let place = EditPath(Array(path.steps[..<name]))
            let missing = name == index ? EditPath([step]) : place
            let keys = name == index ? node.members.map(\.key.text) : []
            let part = name == index ? "\"\(place)\"" : "the file"
            return (
                "\(part) has no \(missing)",
                Spelling.nearest(to: key, among: keys).map { "Did you mean \($0)?" }
                    ?? "Only an editor adds new names to the file. Nothing was changed."
            )
        }
        return nil
    }

    /// The place at which to set a value: if mappings are missing on the way, that of the first of them, which then
    /// contains the others.
    fileprivate func place(of path: EditPath, for value: Node) -> (path: EditPath, value: Node) {
        var node = self
        for (index, step) in path.steps.enumerated() {
            guard case .key(let key) = step, node.isMapping else { break }
            if let member = node.members.first(where: { $0.key.text == key }) {
                node = member.value
                continue
            }
            var nested = value
            for step in path.steps[(index + 1)...].reversed() {
                guard case .key(let key) = step else { return (path, value) }
                nested = Node(.mapping([Member(Key(key), nested)]))
            }
            return (EditPath(Array(path.steps[...index])), nested)
        }
        return (path, value)
    }
}
