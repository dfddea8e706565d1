#if Cassandra
    /// The messages that the driver logs, without what nodes say: they quote user names, and ids of users.
    enum DriverMessage {
        /// The text to log for a message.
        static func text(of message: String) -> String {
            let text = message.lowercased()
            if text.contains("server-side warning") {
                return "Cassandra: a node sent a warning about a request; its own log has the text"
            }
            if ["authenticat", "credential", "password"].contains(where: text.contains) {
                return "Cassandra: a node refuses the user name or the password, or requires them"
            }
            return "Cassandra, driver: \(message)"
        }
    }
#endif
