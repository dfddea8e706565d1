/// Commands that change one project file at the same time.
@Suite struct ParallelEditTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var project: String { directory.path + "/flags.yaml" }

    @Test func editsInParallelAreAllApplied() async throws {
        let flags = (1...20).map { "  flag_\($0):\n    description: old\n    variations: {on: {}}\n" }
        let text = "project: shop\nenvironments: {production: {}}\nflags:\n" + flags.joined()
        try Data(text.utf8).write(to: URL(filePath: project))
        await withTaskGroup { group in
            for number in 1...20 {
                group.addTask { [project] in
                    let line = ["set", "flag_\(number).description", "new \(number)", "-p", project]
                    _ = await RunTool.output(of: line)
                }
            }
            for _ in 1...3 { group.addTask { [project] in _ = await RunTool.output(of: ["compile", project]) } }
        }
        let edited = try String(contentsOfFile: project, encoding: .utf8)
        for number in 1...20 { #expect(edited.contains("  flag_\(number):\n    description: new \(number)\n")) }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.sorted() == ["datafiles", "flags.yaml", "turnout.lock"])
        _ = await RunTool.output(of: ["compile", project])
        _ = await RunTool.output(of: ["compile", project, "--check"])
    }
}
