/// The file beside a database that has its latest changes: `NAME-wal`.
///
/// If the database is replaced while it is open, SQLite leaves this file behind, and would apply its changes to the
/// new database.
struct WriteAheadLog: Sendable {
    private let database: String
    private let databaseNumber: UInt64?
    private let number: UInt64?

    /// The log of a database, which a connection has opened.
    init(of database: String) {
        self.database = database
        databaseNumber = SystemCall.number(of: database)
        number = SystemCall.number(of: database + "-wal")
    }

    private var path: String { database + "-wal" }

    /// Whether another file has taken the database's place since, or none has.
    var hasLostDatabase: Bool { SystemCall.number(of: database) != databaseNumber }

    /// Whether there is one that belongs to no database.
    static func exists(besides database: String) -> Bool {
        SystemCall.exists(database + "-wal") || SystemCall.exists(database + "-wal.replaced")
    }

    /// Gives the log another name, `NAME-wal.replaced`, when all connections are closed, unless it is another one
    /// by now, which belongs to the new database.
    func moveAside() throws {
        guard let number, SystemCall.number(of: path) == number else { return }
        try SystemCall.move(path, to: path + ".replaced")
        SystemCall.remove(path.dropLast(3) + "shm")
    }
}
