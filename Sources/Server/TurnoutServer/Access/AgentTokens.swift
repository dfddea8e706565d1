import TurnoutClient
import TurnoutEngine

/// Issues and verifies tokens: JSON Web Tokens (RFC 7519), signed with HMAC and SHA-256.
///
/// The first secret signs, and all verify: a new secret is put first, and the old one removed when its tokens have
/// expired.
struct AgentTokens: Sendable {
    /// The holder of a token.
    enum Holder: Sendable { case client, administrator }

    /// The claims of a valid token.
    struct Claims: Equatable {
        /// The SDK keys; nil if the token names none.
        var sdkKeys: [String]?
        /// Whether it is an administrator's.
        var isAdministrator: Bool
    }

    /// Why a token is refused.
    struct Invalid: Error, Equatable {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private let authorization: AgentAuthorization
    /// Nil: no token can be issued or verified.
    private let cryptography: (any Cryptography)?
    private let wallClock: any WallClock

    init(_ authorization: AgentAuthorization, cryptography: (any Cryptography)?, wallClock: any WallClock) {
        self.authorization = authorization
        self.cryptography = cryptography
        self.wallClock = wallClock
    }

    /// The credentials with an id.
    func client(_ id: String) -> AgentAuthorization.Client? { authorization.clients.first { $0.id == id } }

    /// How long a token is valid, in seconds.
    var secondsToLive: Int64 { authorization.timeToLive.components.seconds }

    /// Whether a secret in base64 is that of a client. Takes a quarter of a second by design.
    func isSecret(_ text: String, of client: AgentAuthorization.Client) -> Bool {
        guard let cryptography, let secret = Base64.standard.decode(text) else { return false }
        return cryptography.verifyBcrypt(secret, hash: String(decoding: client.secretHash, as: UTF8.self))
    }

    private var secondsSince1970: Int64 { wallClock.millisecondsSince1970() / 1_000 }

    // MARK: Issuing

    /// A token; nil if there is no secret to sign it.
    func issue(to client: AgentAuthorization.Client, as holder: Holder) -> String? {
        guard let cryptography, let secret = authorization.secrets.first else { return nil }
        let claims = JSONWriter.object {
            if holder == .administrator { $0.member("admin", true) }
            $0.member("exp", secondsSince1970 + secondsToLive)
            $0.member("iss", "Optimizely")
            if holder == .client { $0.member("sdk_keys", client.sdkKeys) }
        }
        let header = Base64.urlSafe.encode(Array("{\"alg\":\"HS256\",\"typ\":\"JWT\"}".utf8))
        let content = header + "." + Base64.urlSafe.encode(claims.bytes)
        return content + "." + Base64.urlSafe.encode(cryptography.hmacSHA256(Array(content.utf8), key: secret))
    }

    // MARK: Verifying

    /// The response that refuses a request without a token for its SDK key; nil if it may pass.
    func refusal(of head: RequestHead, for sdkKey: String) -> ServerResponse? {
        guard authorization.isEnabled else { return nil }
        do throws(Invalid) {
            guard let keys = try verify(head.webToken).sdkKeys else {
                return .error(401, "invalid claims: sdk_keys not found, or have the wrong type")
            }
            guard !keys.contains(sdkKey) else { return nil }
            return .error(
                401,
                "SDK key given in X-Optimizely-Sdk-Key header was not found in the SDK keys in this token's claims")
        } catch {
            if error.reason == "token expired" { return .error(401, error.reason) }
            return .go(401) { writer in
                writer.object {
                    $0.member("error", "unauthorized")
                    $0.member("reason", error.reason)
                }
            }
        }
    }

    /// The response that refuses a request without an administrator's token; nil if it may pass.
    func administratorRefusal(of head: RequestHead) -> ServerResponse? {
        guard authorization.isEnabled else { return nil }
        do throws(Invalid) {
            return try verify(head.webToken).isAdministrator ? nil : .error(401, "admin flag not set")
        } catch { return .error(401, error.reason) }
    }

    /// Whether a request has an administrator's token; nil if there are no such tokens.
    var administratorCheck: (@Sendable (RequestHead) -> Bool)? {
        guard authorization.isEnabled else { return nil }
        return { administratorRefusal(of: $0) == nil }
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Throws: ``Invalid`` if it is malformed, has expired, or was not signed with one of the secrets.
    private func verify(_ token: String) throws(Invalid) -> Claims {
        guard let cryptography else { throw Invalid("tokens cannot be verified") }
        guard !token.isEmpty else { throw Invalid("empty token") }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Invalid("token contains an invalid number of segments") }
        guard let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = Base64.urlSafe.decode(parts[2])
        else { throw Invalid("token is malformed") }
        guard header["alg"] == .string("HS256") else { throw Invalid("unexpected signing method") }
        let content = Array((parts[0] + "." + parts[1]).utf8)
        guard
            authorization.secrets.contains(where: {
                cryptography.isEqualInConstantTime(cryptography.hmacSHA256(content, key: $0), signature)
            })
        else { throw Invalid("signature is invalid") }
        guard let end = claims["exp"]?.wholeNumber, end > secondsSince1970 else { throw Invalid("token expired") }
        if let start = claims["nbf"]?.wholeNumber, start > secondsSince1970 { throw Invalid("token is not valid yet") }
        return Claims(sdkKeys: Self.sdkKeys(in: claims), isAdministrator: claims["admin"] == .bool(true))
    }

    private static func json(_ part: Substring) -> JSONValue? {
        guard let bytes = Base64.urlSafe.decode(part), let value = try? JSONValue(parsing: bytes),
            case .object = value
        else { return nil }
        return value
    }

    private static func sdkKeys(in claims: JSONValue) -> [String]? {
        guard case .array(let elements)? = claims["sdk_keys"] else { return nil }
        return elements.compactMap { if case .string(let key) = $0 { key } else { nil } }
    }
}

extension RequestHead {
    /// The token: `Authorization: Bearer …`, or one of two headers without a scheme; empty if there is none.
    fileprivate var webToken: String {
        guard let value = headers["Authorization"] else { return headers["Jwt"] ?? headers["Auth"] ?? "" }
        let parts = value.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return "" }
        return String(parts[1])
    }
}

extension JSONValue {
    fileprivate var wholeNumber: Int64? {
        switch self {
        case .integer(let value): value
        case .double(let value) where value.magnitude < 9e18: Int64(value)
        default: nil
        }
    }
}

/// Credentials, and the secrets of the tokens that are issued for them.
package struct AgentAuthorization: Sendable, Equatable {
    /// The credentials of one program.
    package struct Client: Sendable, Equatable {
        package var id: String
        /// The bcrypt hash of the secret, as text.
        package var secretHash: [UInt8]
        /// The SDK keys that its tokens are for.
        package var sdkKeys: [String]

        package init(id: String, secretHash: [UInt8], sdkKeys: [String]) {
            self.id = id
            self.secretHash = secretHash
            self.sdkKeys = sdkKeys
        }
    }

    /// The programs that can request tokens. Default: none.
    package var clients: [Client] = []
    /// The secrets of tokens: the first signs them, and all verify them. Default: none, no tokens are required.
    package var secrets: [[UInt8]] = []
    /// How long a token is valid. Default: 0, which makes tokens useless; set it with the secrets.
    package var timeToLive = Duration.zero

    /// Whether requests need a token.
    package var isEnabled: Bool { !secrets.isEmpty }
}
