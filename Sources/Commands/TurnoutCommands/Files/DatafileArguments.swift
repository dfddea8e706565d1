import TurnoutClient
import TurnoutEngine

#if Curl && os(Linux)
    import TurnoutCurl
#endif

/// The options for the datafile that a command decides with: a file, a project file, or an address.
enum DatafileArguments {
    static let options: [CommandOption] = [
        .value("--datafile", "FILE", "The datafile, or a project file; - reads standard input.").short("d"),
        environment,
        .value("--sdk-key", "KEY", "Download the datafile of this SDK key instead."),
        .value(
            "--url", "ADDRESS",
            "Where to download it: {sdkKey} stands for the SDK key. Default: the vendor's server."),
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
            return try await download(arguments.value("--sdk-key"), from: arguments.value("--url"))
        }
        for name in ["--sdk-key", "--url"] where arguments.has(name) {
            throw UsageError.conflicting("--datafile", name)
        }
        return try Project.load(file, environment: arguments.value("--environment"))
    }

    private static func download(_ sdkKey: String?, from address: String?) async throws(CommandError) -> Project {
        #if Curl && os(Linux)
            do {
                if sdkKey == nil, let address { return try await download(address) }
                var options = HTTPDatafileOptions()
                options.address = address
                let source = HTTPDatafileSource(sdkKey: sdkKey ?? "", transport: CurlTransport(), options: options)
                if let datafile = try await source.newest() { return datafile.project }
                throw CommandError("the server sent no datafile")
            } catch let error as CommandError {
                throw error
            } catch {
                throw CommandError(
                    "the datafile cannot be downloaded: \(error)", advice: "Check the SDK key and the address.")
            }
        #else
            throw CommandError(
                "this build of turnout cannot download datafiles",
                advice: "Build with --traits default,Curl, or download the file and use --datafile.")
        #endif
    }

    #if Curl && os(Linux)
        /// Downloads from an address as it is, whatever SDK key the datafile names.
        private static func download(_ address: String) async throws -> Project {
            let request = HTTPRequest(.get, address, deadline: HTTPDatafileOptions().deadline)
            let response = try await CurlTransport().send(request)
            guard response.status == 200 else {
                throw CommandError("\(address): the server answered with status \(response.status)")
            }
            return try Project.read(response.body, named: address)
        }
    #endif
}
