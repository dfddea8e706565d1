package import TurnoutClient

/// The messages that the driver logs, without what nodes say: they quote user names, and ids of users.
package enum DriverMessage {
    /// With these the driver quotes an error, which may be that of a node.
    private static let quotations = [
        "following error:", "server error", "error response", "with error:", "heartbeat request:",
        "prepare all queries:", "request error",
    ]

    /// The entry to log for a message.
    package static func entry(for message: String, isError: Bool) -> (level: LogLevel, text: String) {
        let text = message.lowercased()
        if text.contains("server-side warning") {
            return (.warning, "Cassandra: a node sent a warning about a request; its own log has the text")
        }
        if ["authenticat", "credential", "password"].contains(where: text.contains) {
            return (.error, "Cassandra: a node refuses the user name or the password, or requires them")
        }
        let level: LogLevel = isError ? .error : .warning
        if quotations.contains(where: text.contains) {
            let node = address(in: message).map { "the node \($0)" } ?? "a node"
            return (level, "Cassandra: \(node) cannot be reached or sent an error; its own log may have the reason")
        }
        // ScyllaDB's driver reports this for each connection to another server than ScyllaDB.
        let isNormal = text.contains("sharding info")
        return (isNormal ? .debug : level, "Cassandra, driver: \(message)")
    }

    /// The IP address of the node that a message is about: the first one, but behind the quotation the last one.
    private static func address(in message: String) -> String? {
        let words = message.split(separator: " ")
        let addresses = zip(words, words.dropFirst()).compactMap { word, next -> String? in
            guard word == "host" else { return nil }
            let address = next.last == "." ? next.dropLast() : next
            let isAddress = address.utf8.allSatisfy { ".:[]0123456789abcdef".utf8.contains($0) }
            return isAddress && address.contains { $0 == "." || $0 == ":" } ? String(address) : nil
        }
        return message.hasPrefix("Received server error") ? addresses.last : addresses.first
    }
}
