import TurnoutClient

/// Assignments of a user that have to be stored.
package struct ProfileChange: Sendable {
    let userID: String
    let assignments: [String: String]
    /// Whether they replace all others of the user.
    var replaces = false

    package init(userID: String, assignments: [String: String], replaces: Bool = false) {
        (self.userID, self.assignments, self.replaces) = (userID, assignments, replaces)
    }

    /// An estimate of the memory that the change takes, including its copy for lookups.
    var size: Int {
        assignments.reduce(2 * userID.utf8.count + 200) { $0 + 2 * ($1.key.utf8.count + $1.value.utf8.count) + 100 }
    }
}

extension SQLiteSession {
    /// The assignments of a user, and the user's id and time of last use; nil if there are none.
    func profile(of userID: String) throws(SQLiteError) -> (assignments: [String: String], id: Int64, used: Int64)? {
        let statement = try connection.statement(
            """
            SELECT experiment, variation, users.id, used FROM users
            JOIN assignments ON assignments.user = users.id WHERE name = ?
            """)
        statement.bind(1, userID)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let (id, used) = (statement.int(2), statement.int(3))
        var assignments: [String: String] = [:]
        repeat { assignments[statement.text(0)] = statement.text(1) } while try statement.step()
        return (assignments, id, used)
    }

    /// Adds assignments. Must be called in a transaction.
    func save(_ change: ProfileChange, in users: inout Totals) throws(SQLiteError) {
        if change.replaces { try forget(change.userID, in: &users) }
        guard !change.assignments.isEmpty else { return }
        let user = try id(ofUser: change.userID, in: &users)
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO assignments(user, experiment, variation) VALUES(?, ?, ?)")
        statement.bind(1, user)
        for (experiment, variation) in change.assignments {
            statement.bind(2, experiment)
            statement.bind(3, variation)
            try statement.run()
        }
    }

    /// The id of a user. Adds the user if necessary. Times of use are a counter of all uses, not a clock.
    private func id(ofUser name: String, in users: inout Totals) throws(SQLiteError) -> Int64 {
        if let id = try id(ofUser: name) {
            try use(id, in: &users)
            return id
        }
        try connection.run("INSERT INTO users(name, used) VALUES(?, ?)", name, users.next)
        users.next += 1
        users.count += 1
        return try connection.number("SELECT last_insert_rowid()")
    }

    private func id(ofUser name: String) throws(SQLiteError) -> Int64? {
        try connection.first("SELECT id FROM users WHERE name = ?", name) { $0.int(0) }
    }

    /// Records a use of a user.
    func use(_ user: Int64, in users: inout Totals) throws(SQLiteError) {
        try connection.run("UPDATE users SET used = ? WHERE id = ?", users.next, user)
        users.next += 1
    }

    /// Forgets the least recently used users beyond the limit.
    func trim(_ users: inout Totals, to limit: Int) throws(SQLiteError) {
        guard users.count > Int64(limit) else { return }
        let sql = "SELECT id FROM users ORDER BY used, id LIMIT ?"
        let ids = try connection.rows(sql, users.count - Int64(limit)) { $0.int(0) }
        guard !ids.isEmpty else { throw .damage("fewer users than counted", file: connection.path) }
        for id in ids { try forget(id, in: &users) }
    }

    /// Forgets assignments in other experiments, for users with at least `count` assignments.
    func keepAssignments(in experiments: Set<String>, ofUsersWithAtLeast count: Int) throws(SQLiteError) {
        let finding = try connection.statement(
            "SELECT user, experiment FROM assignments WHERE user IN "
                + "(SELECT user FROM assignments GROUP BY user HAVING COUNT(*) >= ?)")
        finding.bind(1, Int64(count))
        var stale: [(user: Int64, experiment: String)] = []
        while try finding.step() {
            let experiment = finding.text(1)
            if !experiments.contains(experiment) { stale.append((finding.int(0), experiment)) }
        }
        for (user, experiment) in stale {
            try connection.run("DELETE FROM assignments WHERE user = ? AND experiment = ?", user, experiment)
        }
    }

    func forget(_ userID: String, in users: inout Totals) throws(SQLiteError) {
        if let id = try id(ofUser: userID) { try forget(id, in: &users) }
    }

    private func forget(_ id: Int64, in users: inout Totals) throws(SQLiteError) {
        try connection.run("DELETE FROM assignments WHERE user = ?", id)
        users.count -= Int64(try connection.run("DELETE FROM users WHERE id = ?", id))
    }
}
