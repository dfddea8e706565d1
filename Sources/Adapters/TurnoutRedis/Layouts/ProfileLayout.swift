import TurnoutClient
import TurnoutEngine

/// How a user's assignments are stored in Redis.
protocol ProfileLayout: Sendable {
    /// The command that reads the value of a key.
    func lookup(_ key: String) -> RedisCommand

    /// Reads the reply to ``lookup(_:)``.
    func profile(in reply: Reply) throws(ProfileServerError) -> UserProfile

    /// Adds assignments to those under a key, without losing those of other clients. Idempotent.
    func save(_ assignments: [String: String], under key: String, _ session: RedisSession)
        throws(ProfileServerError)

    /// The commands that do the same as ``save(_:under:_:)`` without reading; none if that has to read.
    func addition(_ assignments: [String: String], under key: String) -> [RedisCommand]
}

extension ProfileLayout {
    func addition(_ assignments: [String: String], under key: String) -> [RedisCommand] { [] }
}
