public import TurnoutClient

/// Keeps the last good datafiles in a ``SQLiteStorage``. A datafile and its validators are stored together.
public final class SQLiteDatafileCache: DatafileCache {
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    /// The copy stored for a key, or nil if there is none or it is damaged.
    ///
    /// - Throws: ``SQLiteError`` if it could not be read.
    public func copy(for key: String) throws -> DatafileCopy? {
        defer { journal.log() }
        return try journal.database.read { try $0.copy(for: key) }
    }

    /// Stores a copy. It is in the file when the call returns.
    ///
    /// - Throws: ``SQLiteError`` if it could not be stored. The earlier copy stays.
    public func keep(_ copy: DatafileCopy, for key: String) throws {
        defer { journal.log() }
        try journal.database.write { try $0.keep(copy, for: key) }
    }

    /// Removes a copy.
    ///
    /// - Throws: ``SQLiteError`` if the removal could not be written.
    public func forget(_ key: String) throws {
        defer { journal.log() }
        try journal.database.write { session in
            let statement = try session.connection.statement("DELETE FROM datafiles WHERE key = ?")
            statement.bind(1, key)
            try statement.run()
        }
    }
}

extension SQLiteSession {
    func copy(for key: String) throws(SQLiteError) -> DatafileCopy? {
        let statement = try connection.statement("SELECT body, modified, tag, checksum FROM datafiles WHERE key = ?")
        statement.bind(1, key)
        guard try statement.step() else { return nil }
        defer { statement.reset() }
        let copy = DatafileCopy(
            datafile: statement.bytes(0), lastModified: statement.optionalText(1),
            entityTag: statement.optionalText(2))
        return Self.checksum(of: copy) == statement.int(3) ? copy : nil
    }

    func keep(_ copy: DatafileCopy, for key: String) throws(SQLiteError) {
        let statement = try connection.statement(
            "INSERT OR REPLACE INTO datafiles(key, body, modified, tag, checksum) VALUES(?, ?, ?, ?, ?)")
        statement.bind(1, key)
        statement.bind(2, copy.datafile)
        statement.bind(3, copy.lastModified)
        statement.bind(4, copy.entityTag)
        statement.bind(5, Self.checksum(of: copy))
        try statement.run()
    }

    static func checksum(of copy: DatafileCopy) -> Int64 {
        var sum = Checksum()
        sum.add(copy.datafile)
        sum.add(copy.lastModified)
        sum.add(copy.entityTag)
        return sum.value
    }
}
