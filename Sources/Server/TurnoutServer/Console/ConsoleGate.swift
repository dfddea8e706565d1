import TurnoutClient

/// Tells who sees the pages: people who have signed in with a management token, users whom a proxy names, and, without
/// tokens, this machine.
final class ConsoleGate: Sendable {
    /// How long a session lasts.
    static let lifetime = Duration.seconds(12 * 3_600)

    private let access: AccessControl
    private let options: ConsoleOptions
    private let isEncrypted: Bool
    private let cryptography: any Cryptography
    private let random: any RandomSource
    private let uptime: @Sendable () -> Duration
    /// The tokens with which people have signed in, by the cookies of their browsers.
    private let sessions = Locked(
        LRUCache<String, ManagementTokens.Token>(capacity: 10_000, lifetime: ConsoleGate.lifetime))
    /// Attempts that fail, by address, and sessions that begin, by token.
    private let signIns: RateLimiter
    private let newSessions: RateLimiter
    private let formKey: [UInt8]

    /// Creates a gate.
    ///
    /// - Parameters:
    ///   - access: Knows the tokens.
    ///   - options: The options.
    ///   - isEncrypted: Whether the server itself uses TLS.
    ///   - cryptography: Makes the secrets of forms.
    ///   - random: Makes the names of sessions.
    ///   - clock: Measures how long they last.
    init(
        _ access: AccessControl, _ options: ConsoleOptions, isEncrypted: Bool, cryptography: any Cryptography,
        random: any RandomSource, clock: any Clock<Duration>
    ) {
        (self.access, self.options, self.isEncrypted) = (access, options, isEncrypted)
        (self.cryptography, self.random) = (cryptography, random)
        uptime = clock.stopwatch()
        signIns = RateLimiter(rate: 0.1, burst: 10, clock: clock)
        newSessions = RateLimiter(rate: 0.1, burst: 100, clock: clock)
        formKey = Array(random.secret.utf8)
    }

    /// The person who sends a request; nil if they have to sign in.
    func visitor(of head: RequestHead) -> ConsoleVisitor? {
        if let user = proxyUser(of: head) {
            let scopes = Set(options.proxyScopes.compactMap(ManagementScope.init))
            return ConsoleVisitor(
                name: user, scopes: scopes, formToken: formToken("user " + user), isSignedIn: false)
        }
        if let id = cookie(of: head), let token = session(id) {
            return ConsoleVisitor(
                name: token.name, scopes: token.scopes, formToken: formToken("session " + id), isSignedIn: true)
        }
        // Behind the proxy, a request without a user is not one of this machine.
        guard options.proxyAddress == nil || head.remoteAddress != options.proxyAddress else { return nil }
        var head = head
        // A form of our own pages has an origin; see isOfOurPage.
        head.headers["Origin"] = nil
        let scopes = access.scopesWithoutToken(head)
        guard !scopes.isEmpty else { return nil }
        return ConsoleVisitor(name: nil, scopes: scopes, formToken: formToken("local"), isSignedIn: false)
    }

    /// Whether a form comes from a page of this server, and not from another site.
    ///
    /// Pages are sent with a policy of no referrer, with which browsers give forms the origin `null`.
    static func isOfOurPage(_ head: RequestHead) -> Bool {
        guard let origin = head.headers["Origin"], origin != "null" else {
            return head.headers["Sec-Fetch-Site"].map { $0 == "same-origin" } ?? true
        }
        let host = origin.split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
        return host.map { [head.headers["X-Forwarded-Host"], head.headers["Host"]].contains(String($0)) } ?? false
    }

    /// Whether a form carries the ``ConsoleVisitor/formToken`` of the person who sends it.
    func isValid(_ form: QueryParameters, of visitor: ConsoleVisitor) -> Bool {
        cryptography.isEqualInConstantTime(
            Array((form[ConsolePage.formTokenName] ?? "").utf8), Array(visitor.formToken.utf8))
    }

    private func formToken(_ identity: String) -> String {
        Base64.urlSafe.encode(cryptography.hmacSHA256(Array(identity.utf8), key: formKey))
    }

    private func proxyUser(of head: RequestHead) -> String? {
        guard let proxy = options.proxyAddress, head.remoteAddress == proxy else { return nil }
        return head.headers[options.userHeader].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Sessions

    /// How an attempt to sign in ended.
    enum SignIn {
        /// The header that gives the browser its cookie.
        case done(cookie: String)
        case unknownToken
        case tooMany
        /// The connection is not encrypted, so that others could read the token.
        case unprotected
    }

    func signIn(with token: String, _ head: RequestHead) -> SignIn {
        guard isProtected(head) else { return .unprotected }
        let address = clientAddress(of: head)
        guard signIns.take(for: address) == nil else { return .tooMany }
        guard let known = access.token(token) else { return .unknownToken }
        signIns.giveBack(to: address)
        // The sessions of one token never take the place of all others.
        guard newSessions.take(for: known.name) == nil else { return .tooMany }
        let (id, now) = (random.secret, uptime())
        let earlier = cookie(of: head)
        sessions.withLock { sessions in
            if let earlier { sessions.remove(earlier) }
            sessions.save(known, for: id, at: now)
        }
        return .done(cookie: cookie(id, maximumAge: Int(Self.lifetime / .seconds(1)), head))
    }

    /// Ends the session. Returns the header that takes the cookie from the browser.
    func signOut(_ head: RequestHead) -> String {
        if let id = cookie(of: head) { sessions.withLock { $0.remove(id) } }
        return cookie("", maximumAge: 0, head)
    }

    /// The person whose browser gets a cookie with the answer to this request.
    func visitor(signedInBy cookie: String, _ head: RequestHead) -> ConsoleVisitor? {
        var head = head
        head.headers["Cookie"] = cookie
        return visitor(of: head)
    }

    /// The address of the person, as far as the proxy tells it.
    private func clientAddress(of head: RequestHead) -> String {
        let isForwarded = options.proxyAddress != nil && head.remoteAddress == options.proxyAddress
        return isForwarded ? head.headers["X-Forwarded-For"] ?? head.remoteAddress : head.remoteAddress
    }

    private func session(_ id: String) -> ManagementTokens.Token? {
        let now = uptime()
        guard let token = sessions.withLock({ $0.value(for: id, at: now) }) else { return nil }
        // A token that was removed from the file ends its sessions.
        return access.isCurrent(token) ? token : nil
    }

    /// Whether a token is safe on its way: over TLS, or within this machine.
    private func isProtected(_ head: RequestHead) -> Bool { isOverTLS(head) || isLocal(head) }

    private func isOverTLS(_ head: RequestHead) -> Bool {
        isEncrypted || head.headers["X-Forwarded-Proto"] == "https"
    }

    private func isLocal(_ head: RequestHead) -> Bool {
        AllowedHosts.isLoopback(head.remoteAddress) && head.headers["X-Forwarded-For"] == nil
    }

    /// Browsers accept the prefix only for cookies that are sent over TLS alone, to this host alone.
    private func cookieName(_ head: RequestHead) -> String { isOverTLS(head) ? "__Host-turnout" : "turnout" }

    private func cookie(_ value: String, maximumAge: Int, _ head: RequestHead) -> String {
        "\(cookieName(head))=\(value); Path=/; Max-Age=\(maximumAge); HttpOnly; SameSite=Strict"
            + (isOverTLS(head) ? "; Secure" : "")
    }

    private func cookie(of head: RequestHead) -> String? {
        let name = cookieName(head) + "="
        let cookies = head.headers.values("Cookie").joined(separator: ";").split(separator: ";")
        let values = cookies.map { cookie in cookie.drop { character in character == " " } }
        return values.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    }
}

extension RandomSource {
    /// 256 random bits as a text.
    fileprivate var secret: String {
        Base64.urlSafe.encode((0..<4).flatMap { _ in withUnsafeBytes(of: next()) { Array($0) } })
    }
}
