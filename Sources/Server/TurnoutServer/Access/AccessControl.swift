import TurnoutClient

/// Decides whether a request may reach its route.
package struct AccessControl: Sendable {
    /// The hosts that requests may address.
    package let hosts: AllowedHosts
    private let limiter: RateLimiter?
    private let tokens: ManagementTokens
    /// Which web pages may call the routes of clients.
    package let cors: CORSPolicy
    private let refused = Sharded<[Refusal: Int]>(capacity: 1) { _ in [:] }

    /// Why a request was refused, as the label of a metric.
    package enum Refusal: String, Sendable, CaseIterable {
        /// It addressed another host.
        case host
        /// Its key has too many requests.
        case rate
        /// It carries no token, or an unknown one.
        case token
        /// Its token lacks the scope.
        case scope
        /// There are no tokens, and it comes from another machine or from a web page.
        case remote
    }

    /// Creates an access control.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - address: The address that the server listens on.
    ///   - tokens: The tokens of ``AccessOptions/tokenFile``.
    ///   - clock: Measures the rates. Default: the system's clock.
    package init(
        _ options: AccessOptions, listeningOn address: String, tokens: ManagementTokens,
        clock: any Clock<Duration> = .continuous
    ) {
        hosts = AllowedHosts(options.allowedHosts, listeningOn: address)
        limiter =
            options.requestsPerSecond > 0
            ? RateLimiter(rate: options.requestsPerSecond, burst: options.burst, clock: clock) : nil
        cors = CORSPolicy(options.cors)
        self.tokens = tokens
    }

    /// The number of requests that were refused, by reason.
    package var refusals: [(reason: Refusal, count: Int)] {
        let total = refused.shards.reduce(into: [:]) { total, shard in
            total.merge(shard.state.withLock { $0 }, uniquingKeysWith: +)
        }
        return Refusal.allCases.map { ($0, total[$0] ?? 0) }
    }

    /// The response that refuses a request, or nil if it may reach a route.
    package func refusal(of head: RequestHead, _ access: RouteAccess) -> ServerResponse? {
        if access == .open { return nil }
        guard hosts.allows(head) else { return refuse(.host, 404, "invalid request host") }
        switch access {
        case .open, .intake: return nil
        case .client: return limit(head)
        case .management(let scope): return refusal(of: head, scope)
        }
    }

    private func limit(_ head: RequestHead) -> ServerResponse? {
        guard let wait = limiter?.take(for: head.clientKey?.sdkKey ?? head.remoteAddress) else { return nil }
        var response = refuse(.rate, 429, "too many requests")
        response.headers["Retry-After"] = "\(max(1, Int64((wait / .seconds(1)).rounded(.up))))"
        return response
    }

    private func refusal(of head: RequestHead, _ scope: ManagementScope) -> ServerResponse? {
        if tokens.isEmpty {
            let isLocal =
                AllowedHosts.isLoopback(head.remoteAddress) && head.headers["X-Forwarded-For"] == nil
                && head.headers["Forwarded"] == nil && head.headers["Origin"] == nil
            return isLocal ? nil : refuse(.remote, 403, "management from other machines and web pages needs a token")
        }
        guard let bearer = head.bearerToken, let token = tokens.token(bearer) else {
            var response = refuse(.token, 401, "a management token is required")
            response.headers["WWW-Authenticate"] = "Bearer"
            return response
        }
        return token.scopes.contains(scope)
            ? nil : refuse(.scope, 403, "the token lacks the scope \"\(scope.rawValue)\"")
    }

    private func refuse(_ reason: Refusal, _ status: Int, _ problem: String) -> ServerResponse {
        refused.withLock(of: CallingThread.fingerprint) { $0[reason, default: 0] += 1 }
        return .error(status, problem)
    }
}

extension RequestHead {
    /// The token of `Authorization: Bearer …`, or nil.
    package var bearerToken: String? {
        guard let text = headers["Authorization"], text.utf8.count > 7,
            String(text.prefix(7)).equalsIgnoringCase("Bearer ")
        else { return nil }
        return String(text.dropFirst(7))
    }
}
