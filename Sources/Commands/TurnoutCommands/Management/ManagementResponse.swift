import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

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
