import LibC
import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

/// A running server, and the management token for it.
struct ManagedServer {
    /// The environment variable with the management token.
    static let tokenVariable = "TURNOUT_TOKEN"
    static let server = "--server"
    static let token = "--token"

    /// The address, without a path.
    let address: String
    /// The management token; nil to send none.
    let token: String?

    /// The server at an address, with the token of the command line or the environment.
    ///
    /// - Throws: `UsageError` for an address to which no request can be sent.
    init(_ address: String, _ arguments: ParsedArguments) throws {
        let token = arguments.value(Self.token) ?? getenv(Self.tokenVariable).map { String(cString: $0) }
        try self.init(address, token: token)
    }

    init(_ address: String, token: String?) throws {
        try Self.check(address)
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.token = token.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func check(_ address: String) throws {
        let isBase = !address.contains { "?#".contains($0) }
        do throws(TransportError) {
            if isBase { return try HTTPRequest(.get, address).check(TransportOptions()) }
        } catch {}
        // The text before an @ may be a password.
        let value = address.split(separator: "@", omittingEmptySubsequences: false).last.map(String.init) ?? address
        throw UsageError.invalidValue(
            option: server, value: value,
            expected: "an address such as https://flags.example.com, without a user, a \"?\" and a \"#\"; http:// is "
                + "for this machine only", nearest: nil)
    }

    /// A request to a path, with the token.
    ///
    /// The default of the deadline is the time that a server grants to the largest body, at 100 kB a second, and as
    /// much for the work.
    func request(
        _ path: String, method: HTTPRequest.Method = .post, contentType: String? = nil, body: [UInt8] = [],
        deadline: Duration = .seconds(300)
    ) -> HTTPRequest {
        var headers: [String: String] = [:]
        headers["Content-Type"] = contentType
        headers["Authorization"] = token.map { "Bearer " + $0 }
        return HTTPRequest(method, address + path, headers: headers, body: body, deadline: deadline)
    }

    /// Sends a request.
    ///
    /// - Throws: `CommandError`, with the advice, if there is no response.
    func response(to request: HTTPRequest, advice: String? = nil) async throws(CommandError) -> HTTPResponse {
        let transport = try Network.transport()
        do { return try await transport.send(request) } catch {
            throw CommandError("no response from \(address): \(error)", advice: advice)
        }
    }
}

/// Where the data of a server is to be found.
enum ServerPlace {
    case folder(String)
    case server(ManagedServer)

    static let data = "--data"

    /// The place that the command line names.
    init(_ arguments: ParsedArguments) throws {
        switch (arguments.value(Self.data), arguments.value(ManagedServer.server)) {
        case (let folder?, nil): self = .folder(folder)
        case (nil, let address?): self = .server(try ManagedServer(address, arguments))
        case (_?, _?): throw UsageError.conflicting(Self.data, ManagedServer.server)
        case (nil, nil): throw UsageError.missing(anyOf: [Self.data + " DIR", ManagedServer.server + " URL"])
        }
    }
}

/// A server's response to a management request.
struct ManagementResponse {
    private let response: HTTPResponse
    private let content: JSONValue?

    init(_ response: HTTPResponse) {
        self.response = response
        content = try? JSONValue(parsing: response.body)
    }

    var status: Int { response.status }

    /// Whether a retry may succeed a little later.
    var isTemporaryFailure: Bool { response.isTemporaryFailure }

    /// How long the server asks to wait before a retry, at most five minutes; zero if it does not say.
    var retryAfter: Duration { min(response.retryAfter ?? .zero, .seconds(300)) }

    /// The problem that the server reports.
    var problem: String {
        text("error").map { "\(status): \($0)" } ?? "the server answered with status \(status)"
    }

    /// A text in the content; nil without one.
    func text(_ name: String) -> String? {
        if case .string(let text)? = content?[name] { text } else { nil }
    }

    /// The advice for a refused token; nil if it was not refused.
    func advice(forScope scope: String) -> String? {
        guard [401, 403].contains(status) else { return nil }
        return "Set \(ManagedServer.tokenVariable) to a management token with the scope \"\(scope)\"."
    }

    /// A number in the content of a success.
    ///
    /// - Throws: `CommandError` if there is none: another program than turnout has answered, such as a proxy.
    func number(_ name: String) throws(CommandError) -> Int {
        guard case .integer(let number)? = content?[name], let number = Int(exactly: number) else {
            throw unexpectedContent
        }
        return number
    }

    /// The length of a list in the content of a success.
    ///
    /// - Throws: As ``number(_:)``.
    func length(of name: String) throws(CommandError) -> Int {
        guard case .array(let values)? = content?[name] else { throw unexpectedContent }
        return values.count
    }

    /// The texts of a list in the content; nil without one.
    func texts(_ name: String) -> [String]? {
        guard case .array(let values)? = content?[name] else { return nil }
        return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    private var unexpectedContent: CommandError {
        CommandError(
            "status \(status), but not the content that a turnout server sends",
            advice: "Does \(ManagedServer.server) name a turnout server, or does a proxy answer?")
    }
}
