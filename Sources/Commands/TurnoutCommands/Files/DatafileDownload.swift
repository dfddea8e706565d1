import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

/// The newest datafile of a server. If the server cannot be reached, the copy of the last download is used, with a
/// warning on standard error.
struct DatafileDownload {
    private let sdkKey: String?
    private let options: HTTPDatafileOptions
    private let copies: DatafileCopies?

    /// - Parameters:
    ///   - sdkKey: The SDK key; nil if the address is that of a single datafile, whatever its SDK key is.
    ///   - address: The address, where `{sdkKey}` stands for the SDK key; nil for the vendor's server.
    ///   - usesCache: Whether a copy is kept and used.
    init(sdkKey: String?, address: String?, usesCache: Bool) {
        self.sdkKey = sdkKey
        var options = HTTPDatafileOptions()
        options.address = address
        options.checksIdentity = sdkKey != nil
        options.log = CommandLog()
        self.options = options
        // Two servers may use one SDK key, and their validators are not comparable.
        copies = usesCache ? .open(key: "\(sdkKey ?? "") at \(address ?? "")") : nil
    }

    private func source() throws(CommandError) -> HTTPDatafileSource {
        let key = sdkKey ?? options.address ?? ""
        let transport = try Network.transport()
        guard let copies else { return .http(sdkKey: key, transport: transport, options: options) }
        return .http(sdkKey: key, transport: transport, cache: copies, options: options)
    }

    /// Downloads the datafile.
    ///
    /// - Throws: `CommandError` if it cannot be downloaded, and there is no copy or the server refuses the request.
    func project() async throws(CommandError) -> Project {
        let source = try source()
        do {
            let newest = try await newest(source)
            copies?.confirm()
            if let project = (newest ?? source.cached())?.project { return project }
            throw CommandError("the server sent no datafile")
        } catch {
            guard Self.isOutage(error), let copy = source.cached() else {
                throw (error as? CommandError)
                    ?? CommandError(
                        "the datafile cannot be downloaded: \(error)",
                        advice: "Check the SDK key and the address.")
            }
            let age = copies?.age.map { "\($0.words) old" } ?? "of unknown age"
            CommandLog().write(
                .warning, "the datafile cannot be downloaded: \(error); the copy that is used instead is \(age)")
            return copy.project
        }
    }

    private func newest(_ source: HTTPDatafileSource) async throws -> Datafile? {
        do { return try await source.newest() } catch DatafileSourceError.otherProject {
            // A running program keeps its project; a command is called for what the server has now.
            try copies?.forget()
            return try await source.newest()
        }
    }

    /// Whether an error says nothing about the datafile, so that the last copy is the best guess. A refusal does:
    /// the SDK key is wrong or not valid any more.
    private static func isOutage(_ error: any Error) -> Bool {
        switch error {
        case DatafileSourceError.status(let status, _):
            status < 400 || HTTPResponse.isTemporaryFailure(status)
        case DatafileSourceError.datafile, DatafileSourceError.tooLarge, DatafileSourceError.unexpectedNotModified:
            true
        case is DatafileSourceError, is CommandError: false
        default: true
        }
    }
}

extension Duration {
    /// `12 minutes`, `3 hours`, `2 days`.
    fileprivate var words: String {
        let minutes = max(components.seconds / 60, 0)
        func counted(_ count: Int64, _ unit: String) -> String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
        return switch minutes {
        case 0: "less than a minute"
        case ..<120: counted(minutes, "minute")
        case ..<2_880: counted(minutes / 60, "hour")
        default: counted(minutes / 1_440, "day")
        }
    }
}
