/// Runs the tool in a separate process.
enum RunTool {
    /// Returns what a command line prints in a folder, with a file as standard input. The environment's variables
    /// are added to those of this process.
    static func output(
        of arguments: [String], exitCode: Int32 = 0, environment: [String: String] = [:], in folder: String? = nil,
        input: String? = nil
    ) async -> (output: String, errors: String) {
        let result = await #expect(
            processExitsWith: .exitCode(exitCode), observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [arguments, environment, folder, input] in
            for (name, value) in environment { setenv(name, value, 1) }
            if let folder { try #require(chdir(folder) == 0) }
            if let input { try #require(dup2(open(input, O_RDONLY), 0) == 0) }
            StandardStream.reserve()
            exit(await Tool.run(arguments))
        }
        return (
            String(decoding: result?.standardOutputContent ?? [], as: UTF8.self),
            String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        )
    }
}

/// Returns what a command line prints.
func run(_ arguments: String..., exitCode: Int32 = 0) async -> (output: String, errors: String) {
    await RunTool.output(of: arguments, exitCode: exitCode)
}

extension TemporaryDirectory {
    /// Writes a file, and returns its path.
    @discardableResult func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: url.appending(path: name))
        return path + "/" + name
    }

    /// The text of a file.
    func text(of name: String) throws -> String { try String(contentsOf: url.appending(path: name), encoding: .utf8) }
}
