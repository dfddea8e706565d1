/// A command of the tool.
protocol Command: SendableMetatype {
    /// Its name, options and help.
    static var syntax: CommandSyntax { get }

    /// Prepares the command.
    ///
    /// - Throws: ``UsageError`` if the arguments contradict each other, ``CommandError`` if a file cannot be read.
    init(_ arguments: ParsedArguments) async throws

    /// Runs the command.
    ///
    /// - Returns: The exit code.
    /// - Throws: ``CommandError`` if the command failed.
    func run() async throws -> Int32
}

extension Command {
    /// The exit code of a command that ran, and found the difference that it looks for.
    static var differenceExitCode: Int32 { 3 }
}
