import LibC
import TurnoutClient
import TurnoutCommandIO

#if Curl && os(Linux)
    import TurnoutCurl
#endif

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
        try Self.check(address)
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        let token = arguments.value(Self.token) ?? getenv(Self.tokenVariable).map { String(cString: $0) }
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
        _ path: String, contentType: String? = nil, body: [UInt8] = [], deadline: Duration = .seconds(300)
    ) -> HTTPRequest {
        var headers: [String: String] = [:]
        headers["Content-Type"] = contentType
        headers["Authorization"] = token.map { "Bearer " + $0 }
        return HTTPRequest(.post, address + path, headers: headers, body: body, deadline: deadline)
    }
}
