/// A project in JSON, as a user writes it, and what `turnout` says of it.
struct ProjectText {
    let source: SourceFile

    init(_ json: String) { source = SourceFile(name: "flags.json", bytes: Array(json.utf8)) }

    /// A project with one environment and these members, of which each is on a line of its own from the second line on.
    init(members: String...) {
        self.init(
            #"{"project": "shop", "environments": {"production": {}},"# + "\n" + members.joined(separator: ",\n") + "}")
    }

    func read(_ lock: LockFile = LockFile()) throws(Diagnostics) -> AuthoredProject {
        let root: Node
        do throws(Diagnostic) { root = try Node(json: source) } catch { throw Diagnostics([error]) }
        return try ProjectReader.read(root, in: source, lock: lock)
    }

    func compile(_ lock: LockFile = LockFile()) throws -> CompiledProject {
        ProjectCompiler(try read(lock), lock: lock, source: source).compile()
    }

    /// The lock of the compiled project.
    func lock(_ previous: LockFile = LockFile()) throws -> LockFile {
        let compiled = try compile(previous)
        #expect(compiled.diagnostics.all.map(\.message) == [])
        return compiled.lock
    }

    /// The errors of reading and compiling: line, message, advice and code.
    func errors(_ lock: LockFile = LockFile()) -> [String] {
        do throws(Diagnostics) {
            let project = try read(lock)
            let compiled = ProjectCompiler(project, lock: lock, source: source).compile()
            return compiled.diagnostics.all.map { $0.text(in: "f") }
        } catch { return error.all.map { $0.text(in: "f") } }
    }

    /// The findings of lint: line and code.
    func findings(_ lock: LockFile? = nil) throws -> [String] {
        ProjectLint(try read(), lock: lock, source: source).findings.map { finding in
            "\(finding.position.map { "\($0.line)" } ?? "-") \(finding.code)"
        }
    }
}
