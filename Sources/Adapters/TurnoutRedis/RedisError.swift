#if Redis
    public import TurnoutClient

    /// What Redis, or the way to it, did not do. Holds nothing of users: neither their ids nor what was stored.
    public struct RedisError: PrintableError, Sendable, Equatable {
        /// The kind of failure. More may be added.
        public struct Code: Sendable, Equatable {
            private enum Kind {
                case badOptions, unreachable, deadlineExceeded, unavailable, refused, full, foreignValue, contended
                case rejected, misunderstood
            }
            private let kind: Kind

            /// The options, or the address they were read from, make no sense.
            public static let badOptions = Code(kind: .badOptions)
            /// No server could be reached, or the connection broke.
            public static let unreachable = Code(kind: .unreachable)
            /// There was no complete answer within ``RedisOptions/timeout``. What was to be stored may be, or not.
            public static let deadlineExceeded = Code(kind: .deadlineExceeded)
            /// The server answers, but cannot serve for now: it loads its data, or its cluster is incomplete.
            public static let unavailable = Code(kind: .unavailable)
            /// User name, password or permissions do not suffice.
            public static let refused = Code(kind: .refused)
            /// The server has no memory left, and may not remove anything.
            public static let full = Code(kind: .full)
            /// What is stored for a user is not of the layout. It is left as it is.
            public static let foreignValue = Code(kind: .foreignValue)
            /// Others changed the profile between every look and every write.
            public static let contended = Code(kind: .contended)
            /// The server answered with another error.
            public static let rejected = Code(kind: .rejected)
            /// The answer is not one that Redis gives.
            public static let misunderstood = Code(kind: .misunderstood)
        }

        /// The kind of failure.
        public let code: Code
        /// What is wrong, in English.
        public let message: String
        /// The server that was asked, as `host:port` or a path; nil: none was, or several.
        public let server: String?
        /// Where a cluster says that the key is.
        let redirection: Redirection?
        /// Whether the next command on the connection might be given this one's answer.
        let breaksConnection: Bool

        init(
            _ code: Code, _ message: String, server: String? = nil, redirection: Redirection? = nil,
            breaksConnection: Bool = false
        ) {
            self.code = code
            self.message = message
            self.server = server
            self.redirection = redirection
            self.breaksConnection = breaksConnection
        }

        /// The server and the message.
        public var description: String { "Redis" + (server.map { " " + $0 } ?? "") + ": " + message }

        /// The same error, of a server.
        func at(_ address: RedisAddress) -> RedisError {
            RedisError(
                code, message, server: address.description, redirection: redirection, breaksConnection: breaksConnection
            )
        }
    }

    extension RedisError {
        /// A connection that cannot be used any more.
        static func broken(_ message: String) -> RedisError {
            RedisError(.unreachable, message, breaksConnection: true)
        }

        /// A server that said too little within the time.
        static let late = RedisError(.deadlineExceeded, "no complete answer in time", breaksConnection: true)

        /// An answer to another question than the one asked.
        static let misunderstood = RedisError(
            .misunderstood, "the answer is not what Redis gives to this command", breaksConnection: true)

        /// What a user of the server may not do; see ``of(_:)``.
        private static let forbidden = RedisError(.refused, "the user of the server may not use a command")

        /// This error, with the name of the command that it is about, if it is about one.
        func of(_ command: Command) -> RedisError {
            guard self == .forbidden, let name = command.arguments.first else { return self }
            return RedisError(.refused, "the user of the server may not use \(name)")
        }

        /// What an error that a server answered means. Its own text is left out, because parts of commands may be in
        /// it, and ids of users in those.
        init(answer: String) {
            let word = String(answer.prefix { $0.isASCII && $0.isUppercase }.prefix(20))
            switch word {
            case "MOVED", "ASK":
                self.init(.unavailable, "the key is on another server", redirection: Redirection(answer))
            case "TRYAGAIN": self.init(.unavailable, "the key is on its way to another server", redirection: .again)
            case "CLUSTERDOWN": self.init(.unavailable, "the cluster does not serve this key for now")
            case "LOADING": self.init(.unavailable, "the server still loads its data")
            case "MASTERDOWN": self.init(.unavailable, "the server has lost its master")
            case "BUSY": self.init(.unavailable, "the server runs somebody's script")
            // It was a master once; whoever is now has to be looked for anew.
            case "READONLY": self.init(.unavailable, "the server is a replica", breaksConnection: true)
            case "WRONGPASS": self.init(.refused, "the server refuses the user name or the password")
            case "NOAUTH": self.init(.refused, "the server wants a password", breaksConnection: true)
            case "NOPERM" where answer.contains("key"):
                self.init(.refused, "the user of the server may not use keys with this prefix")
            case "NOPERM": self = .forbidden
            // So ends a transaction whose EXEC is not permitted.
            case "EXECABORT" where answer.contains("NOPERM"): self = .forbidden
            case "OOM": self.init(.full, "the server's memory is full")
            case "MISCONF": self.init(.full, "the server cannot write to its disk")
            case "ERR" where answer.contains("cluster support disabled"):
                self.init(.badOptions, "the server is of no cluster; its address begins with redis://")
            case "ERR" where answer.contains("DB index"): self.init(.refused, "there is no such database")
            case "WRONGTYPE": self.init(.foreignValue, "a user's key holds something of another type")
            default: self.init(.rejected, "the server answered with the error \(word.isEmpty ? "?" : word)")
            }
        }
    }
#endif
