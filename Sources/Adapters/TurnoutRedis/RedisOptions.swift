#if Redis
    /// Where assignments are kept, in which form, and how long anything may take.
    ///
    /// ```swift
    /// var options = try RedisOptions(url: "redis://turnout:secret@10.0.0.7:6379/2?prefix=shop:")
    /// options.timeToLive = .seconds(90 * 86_400)
    /// let store = try RedisProfileStore(options)
    /// ```
    ///
    /// Nothing that describes options, such as `print` or `dump`, shows the password.
    public struct RedisOptions: Sendable, Equatable {
        /// Who keeps the assignments.
        public enum Servers: Sendable, Equatable {
            /// One server.
            case one(RedisAddress)
            /// A cluster, of which some servers are known; those tell of the others.
            case cluster([RedisAddress])
        }

        /// What a user's assignments look like in Redis.
        public enum Layout: Sendable, Equatable {
            /// A hash for each user: the field is the experiment's id, the value the variation's.
            case hash
            /// A JSON object for each user, `{"<experiment id>":"<variation id>"}`, as Optimizely's Agent keeps it
            /// under the user's id. For fleets in which both are at work.
            case agent
        }

        /// Who keeps the assignments.
        public var servers: Servers
        /// A user of the server's access control list; nil: the one without a name. Default: nil.
        ///
        /// It needs `hgetall`, `hset`, `del` and `scan`, or in Agent's layout `get`, `set`, `watch`, `multi`, `exec`,
        /// `del` and `scan`; with ``timeToLive`` a hash needs `multi`, `exec` and `pexpire`, too. Where one is missing,
        /// the error names it (``RedisError/Code-swift.struct/refused``), and nothing is stored.
        /// `select` is needed where ``database`` is not 0, in a cluster `cluster|slots` and `asking`; `ping` saves new
        /// connections.
        public var username: String?
        /// The password; nil: none is needed. Default: nil.
        public var password: String?
        /// The number of the database; clusters have number 0 only. Default: 0.
        public var database = 0
        /// What a user's assignments look like. Default: a hash.
        public var layout = Layout.hash
        /// What comes before the user's id in keys; nil: `turnout:`, or nothing in Agent's layout. Default: nil.
        public var prefix: String?
        /// How long a user is remembered after the last new assignment; nil: until somebody removes them. Default: nil.
        ///
        /// In milliseconds; less than one is one. Without one, a hash keeps a time to live that it has from earlier: an
        /// addition neither ends nor prolongs it. In Agent's layout an addition ends it.
        public var timeToLive: Duration?
        /// The longest time that a call takes, everything included, however many users it is for and however many
        /// servers have to be asked. Default: 1 second.
        ///
        /// ``RedisProfileStore/count`` takes so long at most for each thousand keys.
        public var timeout: Duration = .seconds(1)
        /// The longest time until a connection is ready to be used, the lookup of the host's name included.
        /// Default: 250 milliseconds.
        public var connectTimeout: Duration = .milliseconds(250)
        /// The most connections to one server; who comes when all are in use waits. Default: 8.
        public var maximumConnections = 8

        /// The standard options; change what you need.
        public init(servers: Servers) { self.servers = servers }

        /// What comes before the user's id.
        var keyPrefix: String { prefix ?? (layout == .hash ? "turnout:" : "") }

        /// The time to live in whole milliseconds, as Redis wants it.
        var millisecondsToLive: String? {
            timeToLive.map { String(Int64(max(1, min($0, .seconds(3_000_000_000)) / .milliseconds(1)))) }
        }

        /// The options as they can be used: every time and number is at least the least that makes sense.
        ///
        /// - Throws: ``RedisError`` if they contradict each other.
        func checked() throws(RedisError) -> RedisOptions {
            switch servers {
            case .one(let address): try address.check()
            case .cluster(let addresses):
                guard !addresses.isEmpty else { throw RedisError(.badOptions, "no server of the cluster is named") }
                guard database == 0 else { throw RedisError(.badOptions, "a cluster has no database but number 0") }
                for address in addresses { try address.check() }
            }
            guard database >= 0 else { throw RedisError(.badOptions, "the number of a database is at least 0") }
            guard username == nil || password != nil else {
                throw RedisError(.badOptions, "a user name needs a password")
            }
            var options = self
            for limit in [\Self.timeout, \.connectTimeout] {
                options[keyPath: limit] = min(max(.milliseconds(1), self[keyPath: limit]), .seconds(86_400))
            }
            options.maximumConnections = max(1, min(1_000, maximumConnections))
            return options
        }
    }

    extension RedisOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        /// The servers, the database and the layout, without the password.
        public var description: String {
            let names =
                switch servers {
                case .one(let address): "\(address)"
                case .cluster(let addresses): "cluster \(addresses.map(\.description).joined(separator: ", "))"
                }
            return "Redis at \(names), database \(database), layout \(layout), prefix \(keyPrefix.debugDescription)"
        }

        /// The description.
        public var debugDescription: String { description }

        /// Nothing but the description.
        public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
    }
#endif
