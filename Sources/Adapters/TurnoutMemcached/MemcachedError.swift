#if Memcached
    import TurnoutClient

    /// What memcached, or the way to it, did not do. Holds nothing of users: neither their ids nor what was stored.
    public struct MemcachedError: Error, Sendable, Equatable, CustomStringConvertible {
        /// What kind of trouble it is.
        public enum Code: Sendable, Equatable {
            /// The options, or the address they were read from, make no sense.
            case badOptions
            /// No server could be reached, or those that could broke off.
            case unreachable
            /// The time for the call was up. What was to be stored may be stored or not.
            case deadlineExceeded
            /// The profile is larger than the server stores; what was stored before is still there.
            case tooLarge
            /// The server has no memory left and may not evict anything.
            case outOfMemory
            /// What is stored for the user is no profile. It stays as it is until the user is forgotten.
            case notAProfile
            /// What is stored under the user's key is the profile of another user. It stays as it is.
            case anotherUser
            /// Others changed the profile between every look and every write.
            case contended
            /// The server answered something else.
            case refused
        }

        /// What kind of trouble it is.
        public let code: Code
        /// What is wrong, in English.
        public let message: String
        /// The server that was asked, as `host:port` or a path; nil: none was, or several.
        public let server: String?

        init(_ code: Code, _ message: String, server: MemcachedServer? = nil) {
            self.code = code
            self.message = message
            self.server = server?.description
        }

        /// The server and the message.
        public var description: String { "memcached" + (server.map { " " + $0 } ?? "") + ": " + message }

        /// Whether another server, or another connection, may do better.
        var isOfConnection: Bool { code == .unreachable || code == .deadlineExceeded }
    }

    extension MemcachedError: PrintableError {}
#endif
