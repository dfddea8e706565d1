#if Redis
    public import TurnoutClient
    public import TurnoutEngine

    /// Remembers assignments in Redis, for clients on many machines.
    ///
    /// ```swift
    /// var configuration = ClientConfiguration()
    /// configuration.profiles = try .redis("redis://:secret@10.0.0.7:6379/2?prefix=shop:&ttl=90d")
    /// ```
    ///
    /// Merging is atomic on the server: machines that decide for the same user at the same time never lose each other's
    /// assignments. A call that returned is with the server; how long it stays there is a matter of the server's own
    /// persistence and replication.
    ///
    /// A server that does not answer costs a decision at most ``RedisOptions/timeout``, and then nothing for a growing
    /// while, at most some seconds: decisions are made without it, and the client's log tells. No error contains
    /// an id of a user.
    ///
    /// A Redis Cluster may grow, shrink and lose masters meanwhile. There is no TLS, for which the hiredis of most
    /// systems is too old: run a tunnel such as stunnel on the same machine, and connect to its socket
    /// (`redis+unix:///…`).
    public final class RedisProfileStore: ProfileStore {
        private let servers: any KeyRouting
        private let layout: any ProfileLayout
        private let options: RedisOptions

        /// Prepares to connect, when the first user is looked up.
        ///
        /// - Throws: ``RedisError`` if the options contradict each other.
        public init(_ options: RedisOptions) throws {
            let options = try options.checked()
            self.options = options
            servers =
                switch options.servers {
                case .one(let address): SingleServer(address, options)
                case .cluster(let addresses): Cluster(addresses, options)
                }
            layout =
                switch options.layout {
                case .hash: HashLayout(timeToLive: options.millisecondsToLive)
                case .agent: AgentLayout(timeToLive: options.millisecondsToLive)
                }
        }

        /// True: calls wait for a server.
        public var isRemote: Bool { true }

        /// What a user was assigned before.
        ///
        /// - Throws: ``RedisError`` if the server did not say.
        public func profile(of userID: String) throws -> UserProfile {
            let command = layout.lookup(key(userID))
            let reply = try servers.perform(on: key(userID)) { (session) throws(RedisError) in
                try session.answers(to: [command])
            }
            return try layout.profile(in: reply[0])
        }

        /// What many users were assigned before. A thousand of them need one round trip, in a cluster one for each
        /// master.
        ///
        /// - Throws: ``RedisError`` if the server did not say of one of them.
        public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
            let userIDs = userIDs.bySpelling.first ?? []
            let replies = try servers.replies(to: layout.lookup, for: userIDs.map(key))
            var profiles: [String: UserProfile] = [:]
            profiles.reserveCapacity(userIDs.count)
            for (userID, reply) in zip(userIDs, replies) { profiles[userID] = try layout.profile(in: reply) }
            return profiles
        }

        /// Adds assignments to those of a user.
        ///
        /// - Throws: ``RedisError`` if the server did not say that it has them.
        public func remember(_ assignments: [String: String], for userID: String) throws {
            guard !assignments.isEmpty else { return }
            let key = key(userID)
            try servers.perform(on: key) { (session) throws(RedisError) in
                try layout.remember(assignments, under: key, session)
            }
        }

        /// Forgets a user.
        ///
        /// - Throws: ``RedisError`` if the server did not say that it has done so.
        public func forget(_ userID: String) throws {
            let command = Command("DEL", key(userID))
            let reply = try servers.perform(on: key(userID)) { (session) throws(RedisError) in
                try session.answers(to: [command])
            }
            guard reply[0].integer != nil else { throw RedisError.misunderstood }
        }

        /// The number of users that are remembered: of keys with the prefix. A user may be counted twice while a server
        /// makes room for more keys, or a cluster moves them.
        ///
        /// - Throws: ``RedisError`` if a server did not say.
        /// - Complexity: O(n) in the number of all keys that the servers have; not for every day.
        public var count: Int {
            get throws {
                var count = 0
                for server in try servers.masters() { count += try countKeys(of: server) }
                return count
            }
        }

        private func countKeys(of server: Pool) throws(RedisError) -> Int {
            var (count, cursor) = (0, "0")
            repeat {
                let command = Command("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
                let reply = try server.perform(until: .now.advanced(by: options.timeout)) {
                    (session) throws(RedisError) in
                    try session.answers(to: [command])
                }
                guard let page = reply[0].elements, page.count == 2, let next = page[0].text,
                    let keys = page[1].elements
                else { throw RedisError.misunderstood }
                count += keys.count
                cursor = next
            } while cursor != "0"
            return count
        }

        /// All keys with the prefix.
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

    extension ProfileStore where Self == RedisProfileStore {
        /// In Redis, at an address such as `redis://10.0.0.7:6379/2?prefix=shop:`; see ``RedisOptions/init(url:)``.
        ///
        /// - Throws: ``RedisError`` if the address cannot be used.
        public static func redis(_ url: String) throws -> RedisProfileStore {
            try RedisProfileStore(RedisOptions(url: url))
        }

        /// In Redis, with these options.
        ///
        /// - Throws: ``RedisError`` if the options contradict each other.
        public static func redis(_ options: RedisOptions) throws -> RedisProfileStore { try RedisProfileStore(options) }
    }
#endif
