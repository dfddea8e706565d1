public import TurnoutClient
public import TurnoutEngine

/// Stores assignments in Redis, shared by clients on many machines.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.profiles = try .redis("redis://:secret@10.0.0.7:6379/2?prefix=shop:&ttl=90d")
/// ```
///
/// Merging is atomic on the server: machines that decide for the same user at the same time never lose each other's
/// assignments. When a call returns, the server has the data; its durability depends on the server's persistence
/// and replication.
///
/// An unresponsive server delays a decision by at most ``RedisOptions/timeout``. It is then skipped for pauses that
/// grow to some seconds: decisions are made without stored assignments, and the client logs that. Errors never
/// contain user ids.
///
/// A Redis Cluster may grow, shrink and lose masters while clients use it. A replica serves lookups and refuses
/// assignments.
///
/// With `rediss://` connections are encrypted, and the server must show a certificate for its name; see
/// ``RedisOptions/TLS``.
public final class RedisProfileStore: ProfileStore {
    private let servers: any KeyRouting
    private let layout: any ProfileLayout
    private let options: RedisOptions

    /// Creates a store. It connects when the first user is looked up.
    ///
    /// - Throws: `ProfileServerError` if the options contradict each other, or a file of ``RedisOptions/tls``
    ///   cannot be used.
    public init(_ options: RedisOptions) throws {
        let options = try options.checked()
        self.options = options
        servers = try options.connect()
        layout =
            switch options.layout {
            case .hash: HashLayout(timeToLive: options.millisecondsToLive)
            case .agent: AgentLayout(timeToLive: options.millisecondsToLive)
            }
    }

    /// True: calls wait for a server.
    public var isRemote: Bool { true }

    /// The stored assignments of a user.
    ///
    /// - Throws: `ProfileServerError` if the server did not respond.
    public func profile(of userID: String) throws -> UserProfile {
        let key = key(userID)
        return try layout.profile(in: servers.reply(to: layout.lookup(key), for: key))
    }

    /// The stored assignments of many users, with a thousand users per request. The masters of a cluster are
    /// queried in parallel.
    ///
    /// - Throws: `ProfileServerError` if there was no reply for one of them.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        let keys = userIDs.map(key)
        let replies = try servers.replies(to: keys.map(layout.lookup), for: keys)
        var profiles: [String: UserProfile] = [:]
        profiles.reserveCapacity(userIDs.count)
        for (userID, reply) in zip(userIDs, replies) { profiles[userID] = try layout.profile(in: reply) }
        return profiles
    }

    /// Adds assignments to those of a user.
    ///
    /// - Throws: `ProfileServerError` if the server did not confirm the write.
    public func save(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        let key = key(userID)
        try servers.perform(on: key) { (session) throws(ProfileServerError) in
            try layout.save(assignments, under: key, session)
        }
    }

    /// Forgets a user.
    ///
    /// - Throws: `ProfileServerError` if the server did not confirm the removal.
    public func forget(_ userID: String) throws {
        let key = key(userID)
        let reply = try servers.reply(to: RedisCommand("DEL", key), for: key)
        guard reply.integer != nil else { throw ProfileServerError.invalidResponse }
    }

    /// The number of stored users, which is the number of keys with the prefix. A user may be counted twice while a
    /// server resizes its key table or a cluster moves slots.
    ///
    /// - Throws: `ProfileServerError` if a server did not respond.
    /// - Complexity: O(n), where n is the number of all keys on the servers.
    public var count: Int {
        get throws {
            var count = 0
            for server in try servers.masters() {
                try server.forEachPart(ofKeys: pattern, timeout: options.timeout) { count += $0.count }
            }
            return count
        }
    }

    /// The pattern that matches all keys with the prefix.
    private var pattern: String {
        var pattern = ""
        for character in options.keyPrefix.unicodeScalars {
            if "*?[]\\^-".unicodeScalars.contains(character) { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(character)
        }
        return pattern + "*"
    }

    private func key(_ userID: String) -> String { options.keyPrefix + userID }
}

extension RedisProfileStore: BatchProfileStore {
    /// Adds assignments of many users in one request, if the layout can.
    package func save(_ batch: [(userID: String, assignments: [String: String])]) throws -> Bool {
        let additions = batch.map { layout.addition($0.assignments, under: key($0.userID)) }
        guard let first = batch.first, additions.allSatisfy({ !$0.isEmpty }) else { return false }
        // Without the permission for all commands, none may be executed: a user would be stored without an
        // expiration.
        if additions[0].count > 1 { try save(first.assignments, for: first.userID) }
        let keys = zip(batch, additions).flatMap { user, commands in commands.map { _ in key(user.userID) } }
        for reply in try servers.replies(to: additions.flatMap { $0 }, for: keys) where reply.integer == nil {
            throw ProfileServerError.invalidResponse
        }
        return true
    }
}

extension ProfileStore where Self == RedisProfileStore {
    /// A store in Redis, at a URL such as `redis://10.0.0.7:6379/2?prefix=shop:`; see ``RedisOptions/init(url:)``.
    ///
    /// - Throws: `ProfileServerError` if the address cannot be used.
    public static func redis(_ url: String) throws -> RedisProfileStore {
        try RedisProfileStore(RedisOptions(url: url))
    }

    /// A store in Redis, with these options.
    ///
    /// - Throws: `ProfileServerError` if the options contradict each other.
    public static func redis(_ options: RedisOptions) throws -> RedisProfileStore { try RedisProfileStore(options) }
}
