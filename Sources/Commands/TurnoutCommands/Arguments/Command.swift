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
    /// The exit code of a command that did its work, and found what it checks for: a difference, a file that is out of
    /// date, a finding. Scripts can tell it from a failure, after which nothing is known.
    static var differenceExitCode: Int32 { 3 }
}
