@Suite("A damaged project or lock is an error with a place, or is compiled without a loss")
struct DamagedProjectTests {
    @Test func damagedProjectsAreRefusedOrCompiled() throws {
        var compiled = 0
        for seed in 0..<UInt64(rounds(12, thorough: 100)) {
            var random = SplitMix(state: seed)
            let text = try damaged(RandomProject.project(seed: seed % 200), &random)
            do throws(Diagnostics) {
                let source = SourceFile(name: "p", bytes: text)
                let project = try ProjectReader.read(try node(source), in: source)
                if try check(project, "seed \(seed)") { compiled += 1 }
            } catch { #expect(error.all.allSatisfy { $0.position != nil }, "seed \(seed): \(error)") }
        }
        #expect(compiled > rounds(2, thorough: 16))
    }

    @Test func damagedLocksAreRefusedOrUsed() throws {
        for seed in 0..<UInt64(rounds(12, thorough: 100)) {
            var random = SplitMix(state: seed)
            let project = RandomProject.project(seed: seed % 200)
            let lock = ProjectCompiler(project, lock: LockFile()).compile().lock
            do throws(Diagnostics) {
                let damaged = try LockFile(bytes: Array(lock.text.utf8).mutated(&random))
                let compiled = ProjectCompiler(project, lock: damaged).compile()
                guard !compiled.diagnostics.hasErrors else { continue }
                let read = try LockFile(text: compiled.lock.text)
                #expect(read == compiled.lock, "seed \(seed)")
                for datafile in compiled.datafiles {
                    #expect(throws: Never.self, "seed \(seed)") { try Project(datafile: datafile.bytes) }
                }
            } catch { #expect(error.all.allSatisfy { $0.position != nil }, "seed \(seed): \(error)") }
        }
    }

    /// The text of a project with a damaged value, or with damaged text.
    private func damaged(_ project: AuthoredProject, _ random: inout SplitMix) throws -> [UInt8] {
        let text = ProjectWriter.node(of: project).json
        guard random.next() % 3 > 0 else { return Array(text.utf8).mutated(&random) }
        var value = try JSONValue(parsing: text)
        for _ in 0...(random.next() % 2) { value.damage(&random) }
        return value.bytes
    }

    private func node(_ source: SourceFile) throws(Diagnostics) -> Node {
        do throws(Diagnostic) { return try Node(json: source) } catch { throw Diagnostics([error]) }
    }

    /// Writes, compiles and imports a project. Returns false if it does not compile.
    private func check(_ project: AuthoredProject, _ about: String) throws(Diagnostics) -> Bool {
        let reread = try AuthoredProject.read(json: ProjectWriter.node(of: project).json)
        #expect(reread == project, "\(about): written and read")
        let compiled = ProjectCompiler(project, lock: LockFile()).compile()
        _ = ProjectLint(project, lock: compiled.lock).findings
        guard !compiled.diagnostics.hasErrors else { return false }
        let again = ProjectCompiler(project, lock: try LockFile(text: compiled.lock.text)).compile()
        #expect(again.datafiles.map(\.bytes) == compiled.datafiles.map(\.bytes), "\(about)")
        for datafile in compiled.datafiles {
            #expect(throws: Never.self, "\(about)") {
                let imported = try DatafileImport(datafile.bytes)
                let other = ProjectCompiler(imported.project, lock: imported.lock).compile()
                let bytes = try #require(other.datafiles.first?.bytes, "\(other.diagnostics.all)")
                let (before, after) = (try Project(datafile: datafile.bytes), try Project(datafile: bytes))
                for number in 0..<3 {
                    let user = User("user \(number)", attributes: ["attribute_3": "premium"])
                    #expect(before.fingerprint(of: user) == after.fingerprint(of: user), "\(about)")
                }
            }
        }
        return true
    }
}
