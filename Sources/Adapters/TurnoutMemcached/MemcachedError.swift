#if Memcached
    public import TurnoutClient

    /// What memcached, or the way to it, did not do. Holds nothing of users: neither their ids nor what was stored.
    public struct MemcachedError: PrintableError, Sendable, Equatable {
        /// The kind of failure. More may be added.
        public struct Code: Sendable, Equatable {
            private enum Kind {
                case badOptions, unreachable, deadlineExceeded, overloaded, full, tooLarge, foreignValue, anotherUser
                case contended, rejected, misunderstood
            }
            private let kind: Kind

            /// The options, or the address they were read from, make no sense.
            public static let badOptions = Code(kind: .badOptions)
            /// No server could be reached, or the connection broke.
            public static let unreachable = Code(kind: .unreachable)
            /// There was no complete answer within ``MemcachedOptions/timeout``. What was to be stored may be, or not.
            public static let deadlineExceeded = Code(kind: .deadlineExceeded)
            /// All connections hang, or too many calls wait for one: no server was asked.
            public static let overloaded = Code(kind: .overloaded)
            /// The server has no memory left, and may not remove anything.
            public static let full = Code(kind: .full)
            /// The profile is larger than the server stores; what was stored before is still there.
            public static let tooLarge = Code(kind: .tooLarge)
            /// What is stored for a user is no profile. It is left as it is until the user is forgotten.
            public static let foreignValue = Code(kind: .foreignValue)
            /// What is stored under the user's key is the profile of another user. It is left as it is.
            public static let anotherUser = Code(kind: .anotherUser)
            /// Others changed the profile between every look and every write.
            public static let contended = Code(kind: .contended)
            /// The server answered with another error.
            public static let rejected = Code(kind: .rejected)
            /// The answer is not one that memcached gives.
            public static let misunderstood = Code(kind: .misunderstood)
        }

        /// The kind of failure.
        public let code: Code
        /// What is wrong, in English.
        public let message: String
        /// The server that was asked, as `host:port` or a path; nil: none was, or several.
        public let server: String?

        init(_ code: Code, _ message: String, server: MemcachedAddress? = nil) {
            self.code = code
            self.message = message
            self.server = server?.description
        }

        /// The server and the message.
        public var description: String { "memcached" + (server.map { " " + $0 } ?? "") + ": " + message }

        /// Whether another server, or another connection, may do better.
        var isOfConnection: Bool { code == .unreachable || code == .deadlineExceeded }
    }
#endif
