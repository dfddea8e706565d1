#if Cassandra
    import TurnoutClient

    /// The messages that the driver logs, without what nodes say: they quote user names, and ids of users.
    enum DriverMessage {
        /// The entry to log for a message.
        static func entry(for message: String, isError: Bool) -> (level: LogLevel, text: String) {
            let text = message.lowercased()
            if text.contains("server-side warning") {
                return (.warning, "Cassandra: a node sent a warning about a request; its own log has the text")
            }
            if ["authenticat", "credential", "password"].contains(where: text.contains) {
                return (.error, "Cassandra: a node refuses the user name or the password, or requires them")
            }
            // ScyllaDB's driver reports this for each connection to another server than ScyllaDB.
            let isNormal = text.contains("sharding info")
            return (isNormal ? .debug : isError ? .error : .warning, "Cassandra, driver: \(message)")
        }
    }
#endif
