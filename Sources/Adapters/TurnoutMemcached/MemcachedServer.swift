#if Memcached
    /// Where a memcached server listens.
    public enum MemcachedServer: Sendable, Hashable, CustomStringConvertible {
        /// A host name or address, and a port.
        case tcp(host: String, port: UInt16 = 11_211)
        /// The path of a Unix socket.
        case socket(path: String)

        /// `host:port`, an IPv6 address in brackets, or the path. Users are spread by this text: clients that spell a
        /// server differently look for users in different places.
        public var description: String {
            switch self {
            case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        }

        /// Reads `host`, `host:port`, `[address]:port` or `/path`. Nil: it is none of them.
        init?(_ text: Substring) {
            guard text.first != "/" else {
                self = .socket(path: String(text))
                return
            }
            var host = text
            var port: Substring?
            if text.first == "[" {
                guard let end = text.firstIndex(of: "]") else { return nil }
                let rest = text[text.index(after: end)...]
                guard rest.isEmpty || rest.first == ":" else { return nil }
                host = text[..<end].dropFirst()
                port = rest.isEmpty ? nil : rest.dropFirst()
            } else if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                port = text[colon...].dropFirst()
            }
            guard !host.isEmpty, !host.contains(where: { "/?#@[]".contains($0) || $0.isWhitespace }) else { return nil }
            guard let number = port.map({ UInt16($0) }) ?? 11_211, number > 0 else { return nil }
            self = .tcp(host: String(host), port: number)
        }
    }
#endif
