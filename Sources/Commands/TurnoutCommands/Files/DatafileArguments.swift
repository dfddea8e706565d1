import TurnoutCommandIO
import TurnoutEngine

/// The options for the datafile that a command decides with: a file, a project file, or an address.
enum DatafileArguments {
    static let options: [CommandOption] = [
        .value("--datafile", "FILE", "The datafile, or a project file; - reads standard input.").short("d"),
        environment,
        .value(
            "--sdk-key", "KEY",
            "Download the datafile of this SDK key instead. A copy is kept in $XDG_CACHE_HOME/turnout, or else "
                + "~/.cache/turnout; it is used, with a warning, while the server cannot be reached."),
        .value(
            "--url", "ADDRESS",
            "Where to download it: {sdkKey} stands for the SDK key. Default: the vendor's server."),
        .toggle("--no-cache", "Neither use nor keep a copy of a downloaded datafile."),
    ]

    static let environment = CommandOption.value(
        "--environment", "KEY", "The environment, if the file is a project file with several."
    ).short("e")

    /// Loads the datafile that the command line describes.
    static func project(_ arguments: ParsedArguments) async throws -> Project {
        let isDownload = arguments.has("--sdk-key") || arguments.has("--url")
        guard let file = arguments.value("--datafile") else {
            guard isDownload else {
                throw UsageError.missing(anyOf: ["--datafile FILE", "--sdk-key KEY", "--url ADDRESS"])
            }
            if arguments.has("--environment") { throw UsageError.conflicting("--environment", "--sdk-key") }
            return try await download(arguments)
        }
        for name in ["--sdk-key", "--url"] where arguments.has(name) {
            throw UsageError.conflicting("--datafile", name)
        }
        return try Project.load(file, environment: arguments.value("--environment"))
    }

    private static func download(_ arguments: ParsedArguments) async throws -> Project {
        let (sdkKey, address) = (arguments.value("--sdk-key"), arguments.value("--url"))
        if sdkKey == nil, address?.contains("{sdkKey}") == true { throw UsageError.missing(anyOf: ["--sdk-key KEY"]) }
        #if Curl && os(Linux)
            let download = DatafileDownload(
                sdkKey: sdkKey, address: address, usesCache: !arguments.has("--no-cache"))
            return try await download.project()
        #else
            throw CommandError(
                "this build of turnout cannot download datafiles",
                advice: "Build with --traits default,Curl, or download the file and use --datafile.")
        #endif
    }
}
