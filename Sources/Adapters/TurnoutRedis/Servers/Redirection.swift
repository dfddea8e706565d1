#if Redis
    /// What a server of a cluster says of a key that it does not serve.
    enum Redirection: Sendable, Equatable {
        /// The slot is another server's from now on. No host: the one that answered, on another port.
        case moved(slot: Int, host: String?, port: Int)
        /// This one key is on another server already.
        case ask(host: String?, port: Int)
        /// The key is between two servers.
        case again

        /// Reads `MOVED 3999 127.0.0.1:6381` and `ASK 3999 127.0.0.1:6381`; nil: it is neither.
        init?(_ answer: String) {
            let words = answer.split(separator: " ")
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
