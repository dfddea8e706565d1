package import TurnoutClient

// The meaning of errors of Cassandra and of connections to it.

extension ProfileServerError {
    init(_ code: Code, _ message: String, isTimeout: Bool = false, indicatesOutage: Bool = false) {
        self.init(
            store: "Cassandra", code, message, server: nil, breaksConnection: isTimeout,
            indicatesOutage: indicatesOutage)
    }

    static let unreachable = ProfileServerError(
        .unreachable, "no node can be reached, or none in the data center that is named", indicatesOutage: true)

    static let silent = ProfileServerError(
        .deadlineExceeded, "no node responded in time; a write may be stored or not", isTimeout: true)

    /// The time limit ended before the request was sent.
    static let late = ProfileServerError(.deadlineExceeded, "the time limit ended before the request was sent")

    /// Too many requests are waiting for responses.
    static let overloaded = ProfileServerError(.unavailable, "too many requests are waiting for responses")

    /// The nodes do not have what a statement names, or a value is not valid.
    static let invalidQuery = ProfileServerError(
        .rejected,
        "the request is not valid: the table may be missing or have other columns by now, or the assignments of "
            + "one call exceed the cluster's limit for a batch")

    /// The columns of the table have other types.
    static let unbound = ProfileServerError(.badOptions, "the table's columns do not match the schema")

    /// Whether no node has responded.
    var isTimeout: Bool { breaksConnection }

    /// The table is missing, or has other columns.
    static func noTable(_ options: CassandraOptions) -> ProfileServerError {
        ProfileServerError(
            .badOptions,
            "there is no table \(options.keyspace).\(options.table) with the columns of the schema: create it with "
                + "the statement that \"turnout profiles schema\" prints")
    }
}

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
