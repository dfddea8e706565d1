import Foundation

@Suite struct DamagedYAMLTests {
    private static let shop = URL(filePath: #filePath).appending(path: "../../../../Examples/Shop").standardized

    /// Bytes and lines are removed, repeated, replaced and moved. What still compiles is written and read back.
    @Test func damagedYAMLIsRefusedWithAPlaceOrCompiled() throws {
        let text = [UInt8](try Data(contentsOf: Self.shop.appending(path: "flags.yaml")))
        let lock = try LockFile(bytes: [UInt8](Data(contentsOf: Self.shop.appending(path: "turnout.lock"))))
        var compiled = 0
        for seed in 0..<UInt64(rounds(40, thorough: 300)) {
            var random = SplitMix(state: seed)
            let source = SourceFile(name: "f", bytes: text.mutated(&random))
            do throws(Diagnostics) {
                let project = try ProjectReader.read(try node(source), in: source)
                let written = ProjectWriter.node(of: project).yaml()
                let other = SourceFile(name: "f", bytes: Array(written.utf8))
                let reread = try ProjectReader.read(try node(other), in: other)
                #expect(reread == project, "seed \(seed)")
                let result = ProjectCompiler(project, lock: lock, source: source).compile()
                let again = ProjectCompiler(reread, lock: lock).compile()
                #expect(result.datafiles.map(\.bytes) == again.datafiles.map(\.bytes), "seed \(seed)")
                compiled += result.diagnostics.hasErrors ? 0 : 1
            } catch { #expect(error.all.allSatisfy { $0.position != nil }, "seed \(seed): \(error)") }
        }
        #expect(compiled > rounds(1, thorough: 10))
    }

    private func node(_ source: SourceFile) throws(Diagnostics) -> Node {
        do throws(Diagnostic) { return try Node(yaml: source) } catch { throw Diagnostics([error]) }
    }
}
