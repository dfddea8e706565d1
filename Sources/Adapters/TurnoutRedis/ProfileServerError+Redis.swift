import TurnoutClient
import TurnoutSockets

// The meaning of errors of Redis and of connections to it.

extension ProfileServerError {
    init(
        _ code: Code, _ message: String, server: String? = nil, reply: String? = nil,
        breaksConnection: Bool = false, indicatesOutage: Bool? = nil
    ) {
        self.init(
            store: "Redis", code, message, server: server, reply: reply, breaksConnection: breaksConnection,
            indicatesOutage: indicatesOutage ?? breaksConnection)
    }

    /// Where a cluster says that the key is.
    var redirection: Redirection? { reply.flatMap(Redirection.init) }

    /// The same error, of a server.
    func at(_ address: ProfileServerAddress) -> ProfileServerError {
        ProfileServerError(
            code, message, server: address.description, reply: reply, breaksConnection: breaksConnection,
            indicatesOutage: indicatesOutage)
    }

    /// The same error, after which the connection cannot be used.
    var breakingConnection: ProfileServerError {
        ProfileServerError(code, message, server: server, reply: reply, breaksConnection: true)
    }

    /// Converts the error of a failed connection.
    init(_ error: StreamError) {
        let code: Code =
            switch error.kind {
            case .unreachable, .broken: .unreachable
            case .unresponsive, .timedOut: .deadlineExceeded
            case .invalidResponse: .invalidResponse
            case .insecure: .untrusted
            case .badOptions: .badOptions
            }
        self.init(code, error.message, breaksConnection: true)
    }

    /// The reply does not match the command.
    static let invalidResponse = ProfileServerError(
        .invalidResponse, "the reply is not valid for this command", breaksConnection: true)

    /// The error for a command that is not permitted; see ``of(_:)``.
    private static let forbidden = ProfileServerError(.refused, "the Redis user may not use a command")

    /// This error with the name of the command, if the command is not permitted.
    func of(_ command: RedisCommand) -> ProfileServerError {
        guard self == .forbidden, let name = command.arguments.first else { return self }
        return ProfileServerError(.refused, "the Redis user may not use the command \(name)")
    }

    /// Converts an error reply. The server's text is omitted, because it may quote commands and thus user ids.
    init(reply: String) {
        let word = String(reply.prefix { $0.isASCII && $0.isUppercase }.prefix(20))
        switch word {
        case "MOVED", "ASK":
            self.init(.unavailable, "the key is on another server", reply: reply)
        case "TRYAGAIN": self.init(.unavailable, "the key is moving to another server", reply: reply)
        case "CLUSTERDOWN": self.init(.unavailable, "the cluster is incomplete and does not serve this key for now")
        case "LOADING": self.init(.unavailable, "the server is still loading its data")
        case "MASTERDOWN": self.init(.unavailable, "the server has lost its master")
        case "BUSY": self.init(.unavailable, "the server is busy with a script")
        // A former master. A new connection may reach the current one; lookups continue with this one.
        case "READONLY":
            self.init(
                .unavailable, "the server is a replica and accepts no writes", breaksConnection: true,
                indicatesOutage: false)
        case "WRONGPASS": self.init(.refused, "the server refuses the user name or the password")
        case "NOAUTH": self.init(.refused, "the server requires a password", breaksConnection: true)
        case "DENIED":
            self.init(
                .refused,
                "the server is in protected mode and accepts its own machine only; give it a password, or turn "
                    + "protected-mode off", breaksConnection: true)
        case "NOPERM" where reply.contains("key"):
            self.init(.refused, "the Redis user may not use keys with this prefix")
        case "NOPERM": self = .forbidden
        // The reply if EXEC is not permitted.
        case "EXECABORT" where reply.contains("NOPERM"): self = .forbidden
        case "OOM": self.init(.full, "the server's memory is full")
        case "MISCONF": self.init(.full, "the server cannot write to its disk")
        case "ERR" where reply.contains("max number of clients"):
            self.init(
                .unavailable,
                "the server accepts no more clients; raise its limit (maxclients) or lower maximumConnections",
                breaksConnection: true)
        case "ERR" where reply.contains("cluster support disabled"):
            self.init(.badOptions, "the server is not part of a cluster; use an address with redis://")
        case "ERR" where reply.contains("DB index"): self.init(.refused, "there is no database with that number")
        case "WRONGTYPE": self.init(.foreignValue, "a user's key holds a value of another type")
        default: self.init(.rejected, "the server responded with the error \(word.isEmpty ? "?" : word)")
        }
    }
}

/// A cluster server's reply for a key that it does not serve.
enum Redirection: Sendable, Equatable {
    /// The slot has moved to another server. A nil host means the host that replied.
    case moved(slot: Int, host: String?, port: Int)
    /// The slot is moving, and this key is already on another server.
    case ask(host: String?, port: Int)
    /// The key is moving between servers.
    case again

    /// Reads `MOVED 3999 127.0.0.1:6381`, `ASK 3999 127.0.0.1:6381` and `TRYAGAIN …`, or returns nil for other
    /// errors.
    init?(_ reply: String) {
        let words = reply.split(separator: " ")
        if words.first == "TRYAGAIN" {
            self = .again
            return
        }
        guard words.count >= 3, let slot = Int(words[1]), 0..<HashSlot.count ~= slot,
            let colon = words[2].lastIndex(of: ":"), let port = Int(words[2][words[2].index(after: colon)...]),
            1...65_535 ~= port
        else { return nil }
        let host = colon == words[2].startIndex ? nil : String(words[2][..<colon])
        switch words[0] {
        case "MOVED": self = .moved(slot: slot, host: host, port: port)
        case "ASK": self = .ask(host: host, port: port)
        default: return nil
        }
    }
}
