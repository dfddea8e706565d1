#if Memcached
    package import TurnoutClient

    /// Where assignments are kept, for how long, and how long anything may take.
    ///
    /// ```swift
    /// var options = try MemcachedOptions(url: "memcached://cache1:11211,cache2:11211?prefix=shop:")
    /// options.timeToLive = .seconds(30 * 86_400)
    /// let store = try MemcachedProfileStore(options)
    /// ```
    public struct MemcachedOptions: Sendable, Equatable {
        /// The servers over which users are spread. Their order does not matter, their spelling does. Default: one, on
        /// this machine's port 11211.
        public var servers: [MemcachedAddress]
        /// What all keys begin with: up to 128 visible ASCII characters. Default: `turnout:`.
        public var prefix = "turnout:"
        /// How long a profile is kept after its last change, in whole seconds, at least one. Default: until the server
        /// needs the memory.
        public var timeToLive: Duration?
        /// The longest time that a call takes, everything included, however many users it is for and however many
        /// servers have to be asked. Default: 1 second.
        public var timeout: Duration = .seconds(1)
        /// The longest time until a connection is ready to be used. Default: 250 milliseconds.
        public var connectTimeout: Duration = .milliseconds(250)
        /// The longest time until a server goes on with its answer. Default: 250 milliseconds.
        public var answerTimeout: Duration = .milliseconds(250)
        /// How long a server that is down is skipped before one call tries it again, a quarter more or less. Default:
        /// 2 seconds.
        public var retryInterval: Duration = .seconds(2)
        /// The most connections to one server; who comes when all are in use waits. Default: 8.
        public var maximumConnections = 8

        /// The standard options; change what you need.
        public init(servers: [MemcachedAddress] = [.host("127.0.0.1")]) { self.servers = servers }

        /// The options as they can be used: every time and number is at least the least that makes sense.
        ///
        /// - Throws: ``MemcachedError`` if there is no server, or one twice, or the prefix cannot begin a key.
        func checked() throws(MemcachedError) -> MemcachedOptions {
            guard !servers.isEmpty else { throw MemcachedError(.badOptions, "there is no server") }
            guard Set(servers).count == servers.count else {
                throw MemcachedError(.badOptions, "a server is named twice")
            }
            for server in servers { try server.check() }
            guard prefix.utf8.count <= ProfileKey.longestPrefix, prefix.utf8.allSatisfy(ProfileKey.isVisible) else {
                throw MemcachedError(
                    .badOptions, "the prefix is not up to \(ProfileKey.longestPrefix) visible ASCII characters")
            }
            var options = self
            options.maximumConnections = max(1, min(1_000, maximumConnections))
            // What the library takes for a time limit: a millisecond to a day.
            for limit in [\Self.timeout, \.connectTimeout, \.answerTimeout, \.retryInterval] {
                options[keyPath: limit] = min(max(.milliseconds(1), self[keyPath: limit]), .seconds(86_400))
            }
            return options
        }

        /// When what is stored now expires, as memcached wants it: 0 never, up to 30 days in seconds from now, and what
        /// is longer as the time of day in seconds since 1970. Beyond 2038 is never.
        package func expiration(at clock: some WallClock) -> Int {
            guard let timeToLive else { return 0 }
            let seconds = max(1, Int((min(timeToLive, .seconds(Int32.max)) / .seconds(1)).rounded(.up)))
            guard seconds > 30 * 86_400 else { return seconds }
            let end = seconds + Int(clock.millisecondsSince1970() / 1_000)
            return end > Int(Int32.max) ? 0 : end
        }
    }
#endif
