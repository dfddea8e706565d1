import TurnoutClient

/// A ClickHouse server over HTTP.
struct ClickHouseServer: Sendable {
    /// The address without user and password, for messages.
    let address: String
    private let url: String
    private let database: String
    private let headers: [String: String]
    private let transport: any Transport

    /// Reads an address such as `https://user:password@host:8443/database`; nil if it has another form.
    init?(_ text: String, over transport: any Transport) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0]), !text.contains("?") else { return nil }
        let path = parts[1].split(separator: "/", maxSplits: 1)
        // An `@` after the first `/` is that of a password with a `/`, which messages would show.
        guard let authority = path.first, !(path.count > 1 && path[1].contains("@")) else { return nil }
        let at = authority.lastIndex(of: "@")
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority
        guard !host.isEmpty else { return nil }
        url = "\(parts[0])://\(host)"
        address = path.count > 1 ? "\(url)/\(path[1])" : url
        database = path.count > 1 ? path[1].percentDecoded() : "default"
        let user = at.map { authority[..<$0].split(separator: ":", maxSplits: 1) } ?? []
        headers = Dictionary(
            uniqueKeysWithValues: zip(["X-ClickHouse-User", "X-ClickHouse-Key"], user.map { $0.percentDecoded() }))
        self.transport = transport
    }

    /// Runs a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement, without its data.
    ///   - data: The data of an INSERT. Default: nil, the statement has none.
    ///   - settings: Settings for this statement. Default: none.
    ///   - deadline: The time limit. Default: 60 seconds.
    ///   - maximumResponseSize: The maximum number of bytes of the response. Default: 1 MiB.
    /// - Returns: The response.
    /// - Throws: ``EngineError`` with the words of the server or the network.
    func run(
        _ statement: String, data: [UInt8]? = nil, settings: [String: String] = [:],
        deadline: Duration = .seconds(60), maximumResponseSize: Int = 1 << 20
    ) async throws(EngineError) -> [UInt8] {
        var parameters = settings.sorted { $0.key < $1.key }
        parameters.append(("database", database))
        // Otherwise a query that fails late has the status 200.
        if data == nil {
            parameters.append(("wait_end_of_query", "1"))
        } else {
            parameters.append(("query", statement))
        }
        let query = parameters.map { "\($0.key)=\($0.value.percentEncoded)" }.joined(separator: "&")
        var request = HTTPRequest(
            .post, "\(url)/?\(query)", headers: headers, body: data ?? Array(statement.utf8), deadline: deadline)
        request.maximumResponseSize = maximumResponseSize
        let response: HTTPResponse
        do { response = try await transport.send(request) } catch {
            throw .failed("\(address): \(error.logText)")
        }
        let problem = response.headers["x-clickhouse-exception-code"] != nil || data != nil && !response.body.isEmpty
        guard response.status == 200, !problem else { throw error(response) }
        return response.body
    }

    /// The codes of exceptions about the content of rows; others are about the state of the server or its tables.
    private static let contentCodes: Set<Int> = [
        6, 26, 27, 38, 41, 69, 70, 72, 117, 128, 130, 131, 153, 321, 349, 376, 395, 407, 441, 467, 469, 675, 676,
    ]
    private static let maximumWords = 500

    private func error(_ response: HTTPResponse) -> EngineError {
        let line = String(decoding: response.body.prefix(Self.maximumWords), as: UTF8.self)
            .split(whereSeparator: \.isNewline).first.map(String.init)
        let words = "\(address) answered with status \(response.status): \(line ?? "no text")"
        // Old versions have the code in the text only.
        let text = line.flatMap { $0.hasPrefix("Code: ") ? $0.dropFirst(6).prefix(while: \.isNumber) : nil }
        let code = response.headers["x-clickhouse-exception-code"].flatMap { Int($0) } ?? text.flatMap { Int($0) }
        switch code {
        case 60: return .failed("\(words); create the tables: turnout engine setup")
        case 16, 47: return .failed("\(words); turnout engine setup --print has the columns of the tables")
        default: return code.map(Self.contentCodes.contains) == true ? .refused(words) : .failed(words)
        }
    }
}
