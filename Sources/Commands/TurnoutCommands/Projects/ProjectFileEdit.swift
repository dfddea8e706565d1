import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

#if YAML
    import TurnoutYAML
#endif

/// Edits of a project file in place, which are written only if the project remains free of errors.
struct ProjectFileEdit {
    static let option = CommandOption.value(
        "--project", "FILE",
        "The project file; - reads standard input, and writes the edited project to standard output."
    ).short("p").byDefault(ProjectSource.defaultName)

    private let path: String
    /// The text that was read, which must still be there when the edited one is written.
    private let original: [UInt8]
    private let originalProject: AuthoredProject
    private(set) var source: ProjectSource

    /// Whether the edits changed the text.
    var isChanged: Bool { source.file.bytes != original }

    init(_ path: String) throws(CommandError) {
        let source = try ProjectSource(path)
        guard !source.isDatafile else {
            throw CommandError("\(path): is a datafile, which is not edited", advice: "Use `turnout import` first.")
        }
        self.init(path, source, try source.validProject())
    }

    /// Edits a file that was read, whose project has no errors.
    init(_ path: String, _ source: ProjectSource, _ project: AuthoredProject) {
        (self.path, self.source, original, originalProject) = (path, source, source.file.bytes, project)
    }

    /// Edits the project file of a command line, and writes it unless the edit is refused.
    static func write(
        _ arguments: ParsedArguments, acceptsTypes: Bool = false, _ body: (inout ProjectFileEdit) throws -> Void
    ) throws -> ProjectFileEdit {
        try FileLock.whileHeld(on: arguments["--project"]) {
            var edit = try ProjectFileEdit(arguments["--project"])
            try body(&edit)
            try edit.check(acceptsTypes: acceptsTypes)
            try edit.write()
            return edit
        }
    }

    /// What the edits mean, as `turnout diff` says it.
    var changes: ChangeReport {
        ChangeReport(source.project.map { ProjectComparison(from: originalProject, to: $0).changes } ?? [])
    }

    /// Prints what the edits mean, to standard error if standard output has the project.
    func print(
        _ summary: String, _ result: CommandResult, _ members: [String: JSONValue], isWritten: Bool = true
    ) throws(CommandError) {
        let stream = path == "-" && isWritten ? StandardStream.error : .output
        let (changes, terminal) = (changes, Terminal(stream))
        let text = changes.isEmpty ? "" : changes.report.text(for: terminal)
        let own: [String: JSONValue] = ["file": .string(path), "changes": .array(changes.values)]
        try result.print(text + summary, members.merging(own) { $1 }, "what was changed", to: stream)
    }

    /// Gives the value at a path a new text in YAML or JSON. A path that does not start with a key of projects
    /// starts in `flags`. Mappings that are missing on the way are added, unless their key is the name of a part.
    mutating func set(_ path: String, to text: String) throws(CommandError) {
        let value = try Self.value(text)
        try set(try existingPath(path), to: value)
    }

    /// Gives the value at a path another one. Mappings that are missing on the way are added.
    mutating func set(_ path: EditPath, to value: Node) throws(CommandError) {
        let (place, node) = source.root.place(of: path, for: value)
        try apply(.set(node), at: place)
    }

    /// Adds an element to the list at a path, after a rule with a key or at the end, unless the list has it. A missing
    /// list is created.
    mutating func add(_ text: String, toListAt path: String, after rule: String? = nil) throws(CommandError) {
        let (element, fullPath) = (try Self.value(text), try existingPath(path))
        guard let elements = try elements(at: fullPath) else {
            return try set(fullPath, to: Node(.sequence([element])))
        }
        guard !elements.contains(where: { $0.isSameElement(as: element) }) else { return }
        let position = rule.flatMap { key in elements.firstIndex { $0.ruleKey == key } }
        if let rule, position == nil {
            throw CommandError("\(self.path): \"\(fullPath)\" has no rule \(rule); nothing was changed")
        }
        try apply(.add(element, after: position), at: fullPath)
    }

    /// Removes an element from the list at a path.
    mutating func remove(_ text: String, fromListAt path: String) throws(CommandError) {
        let (element, fullPath) = (try Self.value(text), try existingPath(path))
        let elements = try elements(at: fullPath) ?? []
        guard let index = elements.firstIndex(where: { $0.isSameElement(as: element) }) else {
            throw CommandError(
                "\(self.path): \"\(fullPath)\" has no element \(text); nothing was changed",
                advice: Spelling.suggestion(for: text, among: elements.compactMap(\.text)))
        }
        try apply(.remove, at: EditPath(fullPath.steps + [.index(index)]))
    }

    private static func value(_ text: String) throws(CommandError) -> Node {
        do throws(Diagnostic) { return try ProjectEdit.value(text, read: read) } catch {
            let place = error.position.map { "line \($0.line), column \($0.column) of " } ?? ""
            throw CommandError(
                "\(place)the value \(text.truncated(to: 60).debugDescription): \(error.message); nothing was changed",
                advice: error.advice)
        }
    }

    /// A path of the command line. The parts that it names exist.
    private func existingPath(_ text: String) throws(CommandError) -> EditPath {
        let path = try editPath(text)
        guard let problem = source.root.missingName(on: path) ?? source.root.missingRule(on: path) else { return path }
        throw CommandError("\(self.path): \(problem.message)", advice: problem.advice)
    }

    /// The elements of a list; nil if there is nothing at the path.
    private func elements(at path: EditPath) throws(CommandError) -> [Node]? {
        guard let node = source.root.value(at: path) else { return nil }
        guard case .sequence(let elements) = node.content else {
            throw CommandError(
                "\(self.path): \"\(path)\" is not a list; nothing was changed",
                advice: "--add and --remove change the elements of a list. Write PATH VALUE to set a single value.")
        }
        return elements
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

    /// Copies a value with its comments. The ids that the new place carries stay there.
    mutating func copy(from other: EditPath, to place: EditPath) throws(CommandError) {
        guard let copied = source.root.value(at: other) else { return }
        let desired = copied.withIdentity(of: source.root.value(at: place))
        guard !desired.hasSameContent(as: copied) else { return try apply(.copy(from: other), at: place) }
        let original = self
        do throws(CommandError) {
            try apply(.copyWithIDs(from: other), at: place)
            let changes = source.root.value(at: place)?.identityChanges(to: desired, at: place) ?? []
            for change in changes { try apply(change.value.map { .set($0) } ?? .remove, at: change.path) }
            guard source.root.value(at: place)?.jsonValue == desired.jsonValue else {
                throw CommandError("the ids differ")
            }
        } catch {
            // Without its comments, the value can be written in any style.
            self = original
            try apply(.copy(from: other), at: place)
        }
    }

    /// Writes the file. Call ``check(acceptsTypes:)`` before.
    func write() throws(CommandError) {
        guard path != "-" else {
            let isWritten = source.file.bytes.withUnsafeBytes { StandardStream.output.put($0) }
            guard isWritten else { throw CommandError.unwritten("the project") }
            return
        }
        guard try InputFile(path).readAll() == original else {
            throw CommandError("\(path): was changed by another program meanwhile", advice: "Try again.")
        }
        // The lock of the command keeps others from writing the file now.
        OutputFile.removeLeftovers(of: [path])
        try OutputFile.write(source.file.bytes, to: path)
    }

    /// The errors of the edited project, also of compiling, that it did not have before. Those that it had must not
    /// keep anyone from correcting them one after the other. Unless that is accepted, another type of a variable is an
    /// error even if the lock does not have its type.
    func newErrors(acceptsTypes: Bool = false) throws(CommandError) -> [Diagnostic] {
        var lock = source.lock
        for flag in originalProject.flags {
            for variable in flag.variables where lock.types[variable.path(in: flag)] == nil {
                lock.types[variable.path(in: flag)] = [variable.typeName]
            }
        }
        if acceptsTypes { lock.types = [:] }
        let errors = Self.errors(in: source, lock)
        guard !errors.isEmpty else { return [] }
        let known = Self.errors(in: try ProjectSource(path, bytes: original), lock).map(\.message)
        return errors.filter { !known.contains($0.message) }
    }

    /// Throws if there are new errors, which are printed.
    func check(acceptsTypes: Bool = false) throws(CommandError) {
        let errors = try newErrors(acceptsTypes: acceptsTypes)
        guard !errors.isEmpty else { return }
        let name = source.file.name
        for error in errors {
            StandardStream.error.put(error.text(in: name + " as edited").printable + "\n")
            if let line = error.position?.line { StandardStream.error.put(quotation(ofLine: line)) }
        }
        throw CommandError(
            "\(name): would have \(errors.count.grouped("error")); nothing was written",
            advice: "The lines above are those of the edited text. Choose another value, or make the edits that belong "
                + "together in an editor.")
    }

    /// The errors of a file, or those of compiling it if it has none.
    private static func errors(in source: ProjectSource, _ lock: LockFile) -> [Diagnostic] {
        let errors = source.diagnostics.all.filter { $0.severity == .error }
        guard errors.isEmpty, let project = source.project else { return errors }
        let compiled = ProjectCompiler(project, lock: lock, source: source.file).compile()
        return compiled.diagnostics.all.filter { $0.severity == .error }
    }

    /// A line of the edited text, which is in no file.
    private func quotation(ofLine number: Int) -> String {
        let lines = source.file.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.indices.contains(number - 1) else { return "" }
        let text = String(decoding: lines[number - 1].prefix(400), as: UTF8.self)
        return "    \(number) | \(text.printable.truncated(to: 100))\n"
    }

    private func editPath(_ text: String) throws(CommandError) -> EditPath {
        do throws(Diagnostic) {
            let path = try EditPath(quotingFlag(in: text))
            guard case .key(let first)? = path.steps.first, !ProjectPart.project.keys.contains(first) else {
                return path
            }
            return EditPath([.key("flags")] + path.steps)
        } catch { throw CommandError(error.message, advice: error.advice) }
    }

    /// The path with the key of its flag in quotes if that has dots, unless another flag has the part before the dot.
    private func quotingFlag(in text: String) -> String {
        let keys = source.root["flags"]?.members.map(\.key.text) ?? []
        guard !keys.contains(where: { !$0.contains(".") && text.hasPrefix($0 + ".") }),
            let key = keys.filter({ (text + ".").hasPrefix($0 + ".") }).max(by: { $0.count < $1.count })
        else { return text }
        return EditPath([.key(key)]).description + text.dropFirst(key.count)
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
    /// Whether two elements are single values with the same text, or collections with the same values.
    fileprivate func isSameElement(as other: Node) -> Bool {
        guard let text, let other = other.text else { return jsonValue == other.jsonValue }
        // Ids that Unicode calls equal are those of two users.
        return text.utf8.elementsEqual(other.utf8)
    }

    /// The problem of a path that leads through a name that does not exist; nil if all exist.
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
            let quoted = "\(missing)".hasPrefix("\"") ? "\(missing)" : "\"\(missing)\""
            let keys = name == index ? node.members.map(\.key.text) : []
            let part = name == index ? "\"\(place)\"" : "the file"
            return (
                "\(part) has no \(quoted)",
                Spelling.suggestion(for: key, among: keys)
                    ?? "`turnout add flag` adds flags, an editor other names. Nothing was changed."
            )
        }
        return nil
    }

    /// The problem of a path to a rule of a part that has no rules; nil if it has.
    fileprivate func missingRule(on path: EditPath) -> (message: String, advice: String)? {
        let steps = path.steps
        guard steps.first == .key("flags"),
            let depth = [2, 4].first(where: { steps.dropFirst($0).first == .key("rules") }),
            depth == 2 || steps[2] == .key("in"), case .key(let key)? = steps.dropFirst(depth + 1).first,
            value(at: EditPath(Array(steps[...depth]))) == nil
        else { return nil }
        let owner = EditPath(Array(steps[1..<depth]))
        let shared = EditPath([steps[1], .key("rules"), .key(key)])
        guard depth == 2 || value(at: EditPath([steps[0]] + shared.steps)) == nil else {
            return ("\"\(owner)\" has no rules of its own; the shared rule is \"\(shared)\"", "Nothing was changed.")
        }
        return (
            "\"\(owner)\" has no rule \"\(key)\"",
            "`turnout set \(owner).rules '[{delivery: \(key), serve: VARIATION, traffic: 10%}]'` adds the first one. "
                + "Nothing was changed."
        )
    }

    /// The place at which to set a value: if mappings are missing on the way, that of the first of them, which then
    /// contains the others.
    fileprivate func place(of path: EditPath, for value: Node) -> (path: EditPath, value: Node) {
        let missing = path.steps.indices.first { self.value(at: EditPath(Array(path.steps[...$0]))) == nil }
        guard let index = missing, case .key = path.steps[index],
            self.value(at: EditPath(Array(path.steps[..<index])))?.isMapping == true
        else { return (path, value) }
        var nested = value
        for step in path.steps[(index + 1)...].reversed() {
            guard case .key(let key) = step else { return (path, value) }
            nested = Node(.mapping([Member(Key(key), nested)]))
        }
        return (EditPath(Array(path.steps[...index])), nested)
    }
}
