#if Redis
    /// A cluster server's answer for a key that it does not serve.
    enum Redirection: Sendable, Equatable {
        /// The slot has moved to another server. A nil host means the host that answered.
        case moved(slot: Int, host: String?, port: Int)
        /// The slot is moving, and this key is already on another server.
        case ask(host: String?, port: Int)
        /// The key is moving between servers.
        case again

        /// Reads `MOVED 3999 127.0.0.1:6381`, `ASK 3999 127.0.0.1:6381` and `TRYAGAIN …`, or returns nil for other
        /// errors.
        init?(_ answer: String) {
            let words = answer.split(separator: " ")
            if words.first == "TRYAGAIN" {
                self = .again
                return
            }
            guard words.count >= 3, let slot = Int(words[1]), 0..<HashSlot.count ~= slot,
                let colon = words[2].lastIndex(of: ":"), let port = Int(words[2][words[2].index(after: colon)...]),
                1...65_535 ~= port
            else { return nil }
            let host = colon == words[2].startIndex ? nil : String(words[2][..<colon])
            switch words[0] {
            case "MOVED": self = .moved(slot: slot, host: host, port: port)
            case "ASK": self = .ask(host: host, port: port)
            default: return nil
            }
        }
    }
#endif
