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
        try journal.database.write { _ = try $0.connection.run("DELETE FROM datafiles WHERE key = ?", key) }
    }
}

extension SQLiteSession {
    func copy(for key: String) throws(SQLiteError) -> DatafileCopy? {
        let sql = "SELECT body, modified, tag, checksum FROM datafiles WHERE key = ?"
        return try connection.first(sql, key) { row in
            let copy = DatafileCopy(
                datafile: row.bytes(0), lastModified: row.optionalText(1), entityTag: row.optionalText(2))
            return Self.checksum(of: copy) == row.int(3) ? copy : nil
        } ?? nil
    }

    func keep(_ copy: DatafileCopy, for key: String) throws(SQLiteError) {
        try connection.run(
            "INSERT OR REPLACE INTO datafiles(key, body, modified, tag, checksum) VALUES(?, ?, ?, ?, ?)", key,
            copy.datafile, copy.lastModified, copy.entityTag, Self.checksum(of: copy))
    }

    static func checksum(of copy: DatafileCopy) -> Int64 {
        var sum = Checksum()
        sum.add(copy.datafile)
        sum.add(copy.lastModified)
        sum.add(copy.entityTag)
        return sum.value
    }
}
