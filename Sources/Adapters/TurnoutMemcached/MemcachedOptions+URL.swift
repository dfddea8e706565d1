#if Memcached
    extension MemcachedOptions {
        private static let scheme = "memcached://"

        /// Reads options from a text such as `memcached://cache1:11211,cache2?prefix=shop:&ttl=30d`.
        ///
        /// Servers are separated by commas: `host`, `host:port`, `[IPv6]:port`, or the path of a Unix socket, as in
        /// `memcached:///run/memcached.sock`. Parameters, all optional: `prefix`, `ttl`, `connections`,
        /// `connect-timeout`, `answer-timeout`, `deadline` and `retry`. Times are whole numbers with a unit: `ms`, `s`,
        /// `m`, `h` or `d`; without one they are seconds. `%2C` and the like stand for characters that would end
        /// something.
        ///
        /// - Throws: ``MemcachedError`` that names the part which cannot be read. It never repeats passwords.
        public init(url: String) throws {
            guard url.hasPrefix(Self.scheme) else {
                throw MemcachedError(.badOptions, "the address does not begin with \(Self.scheme)")
            }
            let parts = url.dropFirst(Self.scheme.count).split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            self.init(servers: try Self.servers(parts[0]))
            for parameter in parts.dropFirst().first?.split(separator: "&") ?? [] { try set(parameter) }
            _ = try checked()
        }

        private static func servers(_ text: Substring) throws(MemcachedError) -> [MemcachedServer] {
            guard !text.contains("@") else {
                throw MemcachedError(.badOptions, "names and passwords in the address are not supported")
            }
            var servers: [MemcachedServer] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let plain = decoded(part), let server = MemcachedServer(plain[...]) else {
                    throw MemcachedError(.badOptions, "\"\(part)\" is no server: expected host:port or /path")
                }
                servers.append(server)
            }
            return servers
        }

        private mutating func set(_ parameter: Substring) throws(MemcachedError) {
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = pair[0]
            guard pair.count == 2, let value = Self.decoded(pair[1]) else {
                throw MemcachedError(.badOptions, "the parameter \"\(name)\" has no value that can be read")
            }
            switch name {
            case "prefix": prefix = value
            case "ttl": timeToLive = try Self.duration(value, name)
            case "connections":
                guard let number = Int(value), number > 0 else {
                    throw MemcachedError(.badOptions, "connections=\(value) is no number above 0")
                }
                maximumConnections = number
            case "connect-timeout": connectTimeout = try Self.duration(value, name)
            case "answer-timeout": answerTimeout = try Self.duration(value, name)
            case "deadline": deadline = try Self.duration(value, name)
            case "retry": retryInterval = try Self.duration(value, name)
            default: throw MemcachedError(.badOptions, "there is no parameter \"\(name)\"")
            }
        }

        private static let units = [
            ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1_000),
        ]

        private static func duration(_ text: String, _ name: Substring) throws(MemcachedError) -> Duration {
            for (unit, milliseconds) in units where text.hasSuffix(unit) {
                // A century and more is a slip.
                guard let number = Int(text.dropLast(unit.count)), number > 0, number <= 3_153_600_000 else { break }
                return .milliseconds(number * milliseconds)
            }
            throw MemcachedError(.badOptions, "\(name)=\(text) is no time above 0, such as 250ms, 30s, 12h or 30d")
        }

        /// The text without percent-encoding. Nil: it breaks off, or is not UTF-8 without it.
        private static func decoded(_ text: Substring) -> String? {
            var bytes: [UInt8] = []
            var rest = Substring(text).utf8
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "%") else {
                    bytes.append(byte)
                    continue
                }
                guard let digits = String(rest.prefix(2)), digits.utf8.count == 2,
                    digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }
#endif
