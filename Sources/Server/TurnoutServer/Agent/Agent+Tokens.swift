import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `POST /oauth/token`: a token for an id and a secret (RFC 6749, 4.4). The first issuer that knows the id answers.
    func token(for request: ServerRequest) -> Answer {
        let type = request.head.headers["Content-Type"]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            let message = "Content-Type header value must be application/x-www-form-urlencoded"
            return .now(.tokenError(415, "invalid_request", message))
        }
        let form = QueryParameters(parsing: String(decoding: request.body, as: UTF8.self))
        guard let grant = form["grant_type"], !grant.isEmpty else {
            return .now(.tokenError(400, "invalid_request", "grant_type missing from request body"))
        }
        guard grant == "client_credentials" else { return .now(.tokenError(400, "unsupported_grant_type", nil)) }
        guard let id = form["client_id"], !id.isEmpty else {
            return .now(.tokenError(401, "invalid_client", "client_id missing from request body"))
        }
        guard let secret = form["client_secret"], !secret.isEmpty else {
            return .now(.tokenError(401, "invalid_client", "client_secret missing from request body"))
        }
        for (tokens, holder) in [(tokens, AgentTokens.Holder.client), (adminTokens, .administrator)] {
            guard let client = tokens.client(id) else { continue }
            return .later { await self.token(for: client, secret, holder, from: tokens) }
        }
        return .now(.unknownClient)
    }

    private func token(
        for client: AgentAuthorization.Client, _ secret: String, _ holder: AgentTokens.Holder,
        from tokens: AgentTokens
    ) async -> ServerResponse {
        // Hashing takes long, so few secrets are checked at a time.
        guard let end = passwordChecks.begin() else {
            var response = ServerResponse.tokenError(503, "temporarily_unavailable", "too many requests for tokens")
            response.headers["Retry-After"] = "1"
            return response
        }
        let isRight = await BlockingCall.value {
            defer { end() }
            return tokens.isSecret(secret, of: client)
        }
        guard isRight else { return .unknownClient }
        guard let token = tokens.issue(to: client, as: holder) else {
            return .agentError(500, "there is no secret to sign tokens with")
        }
        return .go { writer in
            writer.object {
                $0.member("access_token", token)
                $0.member("token_type", "bearer")
                $0.member("expires_in", tokens.secondsToLive)
            }
        }
    }
}

/// Limits how many calls run at the same time.
final class ConcurrencyLimit: Sendable {
    private let limit: Int
    private let running = Locked(0)

    init(_ limit: Int) { self.limit = limit }

    /// The function that ends a call; nil if too many are running.
    func begin() -> (@Sendable () -> Void)? {
        let isAdmitted = running.withLock { running in
            guard running < limit else { return false }
            running += 1
            return true
        }
        guard isAdmitted else { return nil }
        return { self.running.withLock { $0 -= 1 } }
    }
}

extension ServerResponse {
    fileprivate static func tokenError(_ status: Int, _ code: String, _ description: String?) -> ServerResponse {
        .go(status) { writer in
            writer.object {
                $0.member("error", code)
                if let description { $0.member("error_description", description) }
            }
        }
    }

    fileprivate static let unknownClient = tokenError(401, "invalid_client", "invalid client_id or client_secret")
}
