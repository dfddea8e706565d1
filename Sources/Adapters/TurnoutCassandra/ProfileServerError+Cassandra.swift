import TurnoutClient

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
