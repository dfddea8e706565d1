import TestSupport
import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("Damaged files of other tools are imported as far as they make sense")
struct DamagedForeignFileTests {
    @Test(arguments: ForeignImport.Format.allCases)
    func damagedFilesGiveProjectsThatCompile(format: ForeignImport.Format) throws {
        var random = SplitMix(state: 11)
        var imported = 0
        for round in 0..<rounds(8, thorough: 80) {
            var value = try JSONValue(parsing: Self.file(of: format))
            for _ in 0...(random.next() % 20) { value.damage(&random) }
            let node = Node(value)
            let source = SourceFile(name: "damaged", bytes: [])
            do throws(Diagnostics) {
                let project = try ForeignImport.read(node, as: format, in: source).project
                imported += 1
                try expectWhole(project, "\(format.rawValue), round \(round)")
            } catch { #expect(error.hasErrors) }
        }
        #expect(imported > rounds(2, thorough: 25), "\(imported)")
    }

    /// Any byte can be another one, as long as the text is JSON.
    @Test(arguments: ForeignImport.Format.allCases)
    func filesWithOtherBytesGiveProjectsThatCompile(format: ForeignImport.Format) throws {
        var random = SplitMix(state: 12)
        var parsed = 0
        for round in 0..<rounds(40, thorough: 150) {
            var bytes = Array(Self.file(of: format).utf8)
            for _ in 0...(random.next() % 6) {
                let place = Int(random.next() % UInt64(bytes.count))
                bytes[place] = bytes[Int(random.next() % UInt64(bytes.count))]
            }
            let source = SourceFile(name: "damaged", bytes: bytes)
            guard let node = try? Node(json: source) else { continue }
            parsed += 1
            guard let project = try? ForeignImport.read(node, as: format, in: source).project else { continue }
            try expectWhole(project, "\(format.rawValue), round \(round)")
        }
        #expect(parsed > rounds(0, thorough: 3))
    }

    @Test func otherFilesAreNotRecognized() throws {
        let texts = [
            "[]", "1", "{}", #"{"flags": {"a": {"rules": []}}, "project": "p"}"#, #"{"version": "4", "rollouts": []}"#,
        ]
        for text in texts {
            let source = SourceFile(name: "other", bytes: Array(text.utf8))
            let node = try Node(json: source)
            #expect(ForeignImport.Format.recognized(in: node) == nil, "\(text)")
        }
        for format in ForeignImport.Format.allCases {
            let source = SourceFile(name: "empty", bytes: Array("[]".utf8))
            let node = try Node(json: source)
            #expect(throws: Diagnostics.self) { try ForeignImport.read(node, as: format, in: source) }
        }
    }

    @Test func encryptedFeaturesAreRefused() throws {
        let source = SourceFile(name: "f", bytes: Array(#"{"features": {}, "encryptedFeatures": "abc="}"#.utf8))
        let node = try Node(json: source)
        #expect(ForeignImport.Format.recognized(in: node) == .growthBook)
        let error = #expect(throws: Diagnostics.self) { try ForeignImport.read(node, as: .growthBook, in: source) }
        #expect(error?.all.first?.message == "the features are encrypted")
    }

    private static func file(of format: ForeignImport.Format) -> String {
        switch format {
        case .flagd: FlagdImportTests.file
        case .goFeatureFlag: GoFeatureFlagImportTests.file
        case .growthBook: GrowthBookImportTests.file
        }
    }

    /// Whether a project can be written, read back and compiled.
    private func expectWhole(_ project: AuthoredProject, _ name: String) throws(Diagnostics) {
        let text = ProjectWriter.node(of: project).json
        do throws(Diagnostics) {
            let read = try AuthoredProject.read(json: text)
            #expect(read == project, "\(name)\n\(text)")
            let compiled = ProjectCompiler(read, lock: LockFile()).compile()
            #expect(compiled.diagnostics.all.map(\.message) == [], "\(name)")
        } catch { Issue.record("\(name): \(error.all.map { $0.text(in: "x") })\n\(text)") }
    }
}
