import TurnoutClient

/// Decides whether a request may reach its route.
package final class AccessControl: Sendable {
    private let hosts: AllowedHosts
    private let limiter: RateLimiter?
    private let tokens: Locked<ManagementTokens>
    private let allowsLocalManagement: Bool
    private let isKnown: @Sendable (String) -> Bool
    private let isAdministrator: (@Sendable (RequestHead) -> Bool)?
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
        /// There are no tokens, and without one it is not allowed, or not from there.
        case remote
    }

    /// Creates an access control.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - address: The address that the server listens on.
    ///   - tokens: The tokens of ``AccessOptions/tokenFile``.
    ///   - isKnown: Whether there is a datafile, a bandit or a data platform for a key. Requests with other keys are
    ///     counted by address, so that made-up keys cannot evade the rate. Default: never.
    ///   - isAdministrator: Whether a request has an administrator's token of the Agent's interface, which allows to
    ///     read the status and the metrics. Default: nil, there are no such tokens. If there are, requests from this
    ///     machine need a token for that, too, unless local management is allowed.
    ///   - clock: Measures the rates. Default: the system's clock.
    package init(
        _ options: AccessOptions, listeningOn address: String, tokens: ManagementTokens,
        isKnown: @escaping @Sendable (String) -> Bool = { _ in false },
        isAdministrator: (@Sendable (RequestHead) -> Bool)? = nil,
        clock: any Clock<Duration> = .continuous
    ) {
        hosts = AllowedHosts(options.allowedHosts, listeningOn: address)
        limiter =
            options.requestsPerSecond > 0
            ? RateLimiter(rate: options.requestsPerSecond, burst: options.burst, clock: clock) : nil
        cors = CORSPolicy(options.cors)
        self.tokens = Locked(tokens)
        allowsLocalManagement = options.allowsLocalManagement
        self.isKnown = isKnown
        self.isAdministrator = isAdministrator
    }

    /// Replaces the tokens, for the requests from now on.
    package func use(_ tokens: ManagementTokens) { self.tokens.withLock { $0 = tokens } }

    /// The scopes that a request has without a token; none if there are tokens, or it comes from another machine.
    func scopesWithoutToken(_ head: RequestHead) -> Set<ManagementScope> {
        guard tokens.withLock({ $0.isEmpty }), isLocal(head) else { return [] }
        if allowsLocalManagement { return Set(ManagementScope.allCases) }
        return isAdministrator == nil ? [.read] : []
    }

    /// The token with a text, or nil.
    func token(_ text: String) -> ManagementTokens.Token? { tokens.withLock { $0 }.token(text) }

    /// Whether a token is still in the list, with the same scopes.
    func isCurrent(_ token: ManagementTokens.Token) -> Bool { tokens.withLock { $0.tokens.contains(token) } }

    /// The number of requests that were refused, by reason.
    package var refusals: [(reason: Refusal, count: Int)] {
        let total = refused.shards.reduce(into: [:]) { total, shard in
            total.merge(shard.state.withLock { $0 }, uniquingKeysWith: +)
        }
        return Refusal.allCases.map { ($0, total[$0] ?? 0) }
    }

    /// The response that refuses a request, or nil if it may reach a route.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - access: The requests that the route answers.
    ///   - key: The key in the path, if the route has one there. Default: nil, it is in a header.
    /// - Returns: The response.
    package func refusal(of head: RequestHead, _ access: RouteAccess, key: String? = nil) -> ServerResponse? {
        if access == .probe { return nil }
        guard hosts.allows(head) else { return refuse(.host, 404, "invalid request host") }
        switch access {
        case .probe, .open, .intake: return nil
        case .client: return limit(head, key)
        case .management(let scope): return refusal(of: head, scope)
        }
    }

    private func limit(_ head: RequestHead, _ key: String?) -> ServerResponse? {
        guard let limiter else { return nil }
        let known = (key.map { ClientKey($0) } ?? head.clientKey).flatMap { isKnown($0.sdkKey) ? $0.sdkKey : nil }
        guard let wait = limiter.take(for: known ?? head.remoteAddress) else { return nil }
        var response = refuse(.rate, 429, "too many requests")
        response.headers["Retry-After"] = "\(max(1, Int64((wait / .seconds(1)).rounded(.up))))"
        return response
    }

    private func refusal(of head: RequestHead, _ scope: ManagementScope) -> ServerResponse? {
        if scope == .read, isAdministrator?(head) == true { return nil }
        let tokens = tokens.withLock { $0 }
        if tokens.isEmpty, allowsLocalManagement || scope != .read || isAdministrator == nil {
            guard scope == .read || allowsLocalManagement else {
                return refuse(.remote, 403, "a token with the scope \"\(scope.rawValue)\" is required. " + Self.advice)
            }
            return isLocal(head)
                ? nil
                : refuse(.remote, 403, "management from other machines and web pages needs a token. " + Self.advice)
        }
        guard let bearer = head.bearerToken, let token = tokens.token(bearer) else {
            let other = scope == .read && isAdministrator != nil ? " or an administrator's token" : ""
            let problem =
                head.bearerToken == nil
                ? "a management token\(other) is required: send the header Authorization: Bearer TOKEN; "
                    + "`turnout token new` makes one"
                : "the token is not one of this server's; it may have been removed, or the file not been read again"
            var response = refuse(.token, 401, problem)
            response.headers["WWW-Authenticate"] = "Bearer"
            return response
        }
        return token.scopes.contains(scope)
            ? nil : refuse(.scope, 403, "the token lacks the scope \"\(scope.rawValue)\"")
    }

    private func isLocal(_ head: RequestHead) -> Bool {
        AllowedHosts.isLoopback(head.remoteAddress) && head.headers["X-Forwarded-For"] == nil
            && head.headers["Forwarded"] == nil && head.headers["Origin"] == nil
            // A page of another name that leads to this machine could read the answers.
            && head.headers["Host"].map { AllowedHosts.isLoopback(AllowedHosts.withoutPort($0)) } ?? true
    }

    private static let advice =
        "Make one with `turnout token new`, and name its file with --token-file; on a development machine, "
        + "--set access.local_management=true allows requests without a token"

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
