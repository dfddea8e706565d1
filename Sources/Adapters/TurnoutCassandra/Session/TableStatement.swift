#if Cassandra
    /// The statements of a store.
    enum TableStatement: Sendable {
        case lookup, write, removal, userList

        /// The text in CQL.
        func text(_ options: CassandraOptions) -> String {
            let table = Self.table(options)
            return switch self {
            case .lookup: "SELECT experiment_id, variation_id FROM \(table) WHERE user_id = ?"
            case .write:
                "INSERT INTO \(table) (user_id, experiment_id, variation_id) VALUES (?, ?, ?)"
                    + (options.timeToLive == nil ? "" : " USING TTL ?")
            case .removal: "DELETE FROM \(table) WHERE user_id = ?"
            case .userList: "SELECT DISTINCT user_id FROM \(table)"
            }
        }

        /// The name of the table with its keyspace. Quoted, since CQL ignores the case of names without quotes.
        static func table(_ options: CassandraOptions) -> String { "\"\(options.keyspace)\".\"\(options.table)\"" }
    }
#endif
