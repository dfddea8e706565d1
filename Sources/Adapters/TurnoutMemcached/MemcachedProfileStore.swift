#if Memcached
    public import TurnoutClient

    /// Remembers assignments in memcached, for all servers that ask the same memcached.
    ///
    /// ```swift
    /// var configuration = ClientConfiguration()
    /// configuration.profiles = try .memcached("memcached://cache1:11211,cache2:11211?ttl=30d")
    /// ```
    ///
    /// A profile is JSON in the schema that the vendor's clients share. New assignments are merged into it by
    /// compare-and-swap, so clients, processes and machines never lose each other's; members that Turnout does not know
    /// stay. Users are spread over the servers by consistent hashing. The key is the prefix and the user's id; of an id
    /// that is long, or has other than visible ASCII characters, a fingerprint of 128 bits. The profile says whose it
    /// is, and is not used for anybody else.
    ///
    /// memcached is a cache. It forgets, and this is what that means:
    ///
    /// | What happens | What becomes of the assignments |
    /// | --- | --- |
    /// | a server restarts | those it kept are gone; its users are assigned anew |
    /// | its memory is full | users not asked for longest are gone |
    /// | the time to live is over | the user is assigned anew. Looking does not prolong it, a new assignment does |
    /// | a server is down or does not answer in time | it is skipped: its users are kept by the next server, anew |
    /// | it comes back, with its memory | what it had counts again, and what the next server got is not looked at |
    /// | it is skipped once more | that older copy counts again, without what was assigned since |
    /// | a server is added or taken away | its share of users moves, as if it had been restarted |
    /// | all servers are down | calls fail at once, until one may be tried again |
    /// | a call's time is up | the error says so; what was to be stored may be stored or not |
    /// | a profile is too large for the server | the error says so; what was stored stays |
    /// | what is stored is no profile | the error says so; it stays, until ``forget(_:)`` |
    /// | two ids have one fingerprint | the error says so; the second user is not remembered |
    ///
    /// Who must never reassign a user needs a store that is a database. There is no count of users: memcached cannot
    /// list what it holds.
    public final class MemcachedProfileStore: ProfileStore {
        /// So many keys in one request that neither side waits for the other to read.
        private static let keysPerRequest = 100
        /// Each lost race was won by somebody, so this is a great many others.
        private static let mergeAttempts = 100

        private let options: MemcachedOptions
        private let pool: ConnectionPool

        /// Prepares to connect, when the first user is looked up.
        ///
        /// - Parameters:
        ///   - options: Which servers, and how patient calls are. Default: one server on this machine.
        ///   - log: Where servers that go down and come back are reported. Default: the standard error output.
        /// - Throws: ``MemcachedError`` if the options make no sense.
        public init(_ options: MemcachedOptions = MemcachedOptions(), log: any Log = .standardError) throws {
            self.options = try options.checked()
            pool = ConnectionPool(self.options, log: log)
        }

        /// True: calls wait for a server.
        public var isRemote: Bool { true }

        /// What a user was assigned before. Of a user who is not known, the server is asked a second time: the library
        /// takes several answers for an empty one.
        ///
        /// - Throws: ``MemcachedError`` if no server told, or what it told is no profile of the user.
        public func profile(of userID: String) throws -> UserProfile {
            let key = key(of: userID)
            let value = try pool.perform { (connections, call) throws(MemcachedError) in
                try connections.ask(for: key, call) { (connection) throws(MemcachedError) in
                    try connection.certainValues(of: [key])[key]
                }
            }
            return try value.map { try StoredProfile($0.text, of: userID).profile } ?? UserProfile()
        }

        /// What many users were assigned before, by their ids; who is not known is missing. All are asked for at once,
        /// a hundred in a request.
        ///
        /// - Throws: ``MemcachedError`` if a server did not tell, or something it told is no profile of its user.
        public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
            let userIDs = userIDs.bySpelling.first ?? []
            let users = Dictionary(userIDs.map { (key(of: $0), $0) }) { first, _ in first }
            let keys = Array(users.keys)
            let values = try pool.perform { (connections, call) throws(MemcachedError) in
                var found: [String: StoredValue] = [:]
                try connections.ask(for: keys, call) { (connection, share) throws(MemcachedError) in
                    for start in stride(from: 0, to: share.count, by: Self.keysPerRequest) {
                        let part = share[start..<min(start + Self.keysPerRequest, share.count)]
                        found.merge(try connection.certainValues(of: Array(part))) { $1 }
                    }
                }
                return found
            }
            var profiles: [String: UserProfile] = [:]
            for (key, userID) in users {
                if let value = values[key] { profiles[userID] = try StoredProfile(value.text, of: userID).profile }
            }
            return profiles
        }

        /// Adds assignments to those of a user. They are on the server when the call returns.
        ///
        /// - Throws: ``MemcachedError`` if they could not be stored; with
        ///   ``MemcachedError/Code-swift.struct/deadlineExceeded`` they may be.
        public func remember(_ assignments: [String: String], for userID: String) throws {
            guard !assignments.isEmpty else { return }
            let (key, options) = (key(of: userID), options)
            let first = StoredProfile(of: userID, with: assignments).text
            try pool.perform { (connections, call) throws(MemcachedError) in
                try connections.ask(for: key, call) { (connection) throws(MemcachedError) in
                    var mayBeNew = true
                    for _ in 0..<Self.mergeAttempts where !call.isOver {
                        let expiring = options.expiration(at: .system)
                        // Most users who are assigned anything were not known before: one trip for them.
                        if mayBeNew, try connection.add(key, first, expiring: expiring) { return }
                        guard let old = try connection.values(of: [key])[key] else { continue }
                        var profile = try StoredProfile(old.text, of: userID)
                        profile.add(assignments)
                        switch try connection.replace(key, old, with: profile.text, expiring: expiring) {
                        case .stored: return
                        case .changedByOthers: mayBeNew = false
                        case .missing: mayBeNew = true
                        }
                    }
                    throw MemcachedError(.contended, "others changed the profile all the time")
                }
            }
        }

        /// Forgets a user, on the server that is asked for the user now. A copy that another server made while this one
        /// was skipped stays there.
        ///
        /// - Throws: ``MemcachedError`` if that could not be done.
        public func forget(_ userID: String) throws {
            let key = key(of: userID)
            try pool.perform { (connections, call) throws(MemcachedError) in
                try connections.ask(for: key, call) { (connection) throws(MemcachedError) in
                    try connection.remove(key)
                }
            }
        }

        private func key(of userID: String) -> String { ProfileKey.text(of: userID, prefix: options.prefix) }
    }

    extension ProfileStore where Self == MemcachedProfileStore {
        /// In memcached, at an address such as `memcached://cache1,cache2?ttl=30d`; see
        /// ``MemcachedOptions/init(url:)``.
        ///
        /// - Throws: ``MemcachedError`` if the address cannot be used.
        public static func memcached(_ url: String, log: any Log = .standardError) throws -> MemcachedProfileStore {
            try MemcachedProfileStore(MemcachedOptions(url: url), log: log)
        }

        /// In memcached, with these options.
        ///
        /// - Throws: ``MemcachedError`` if the options make no sense.
        public static func memcached(
            _ options: MemcachedOptions, log: any Log = .standardError
        ) throws -> MemcachedProfileStore {
            try MemcachedProfileStore(options, log: log)
        }
    }
#endif
