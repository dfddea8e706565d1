public import TurnoutClient

/// Stores small strings by name in a ``SQLiteStorage``, such as the id of the device.
public final class SQLiteSettings: Sendable {
    private let journal: Journal

    init(_ journal: Journal) { self.journal = journal }

    /// The string for a name, or nil.
    ///
    /// - Throws: ``SQLiteError`` if it could not be read.
    public func get(_ name: String) throws -> String? {
        defer { journal.log() }
        return try journal.database.read { try $0.setting(name) }
    }

    /// Sets the string for a name. It is in the file when the call returns.
    ///
    /// - Throws: ``SQLiteError`` if it could not be stored.
    public func set(_ name: String, to value: String) throws {
        defer { journal.log() }
        try journal.database.write { try $0.set(name, to: value) }
    }

    /// Removes a name and its string.
    ///
    /// - Throws: ``SQLiteError`` if the removal could not be written.
    public func remove(_ name: String) throws {
        defer { journal.log() }
        try journal.database.write { try $0.removeSetting(name) }
    }

    /// Replaces the string for a name by the result of `change`, in one transaction; nil means no string. The
    /// result is in the file when the call returns.
    ///
    /// - Throws: ``SQLiteError`` if it could not be read or stored. `change` may have been called.
    package func update(_ name: String, _ change: (String?) -> String?) throws {
        defer { journal.log() }
        try journal.database.write { session in
            let value = try session.setting(name)
            let changed = change(value)
            guard changed != value else { return }
            if let changed { try session.set(name, to: changed) } else { try session.removeSetting(name) }
        }
    }
}

extension SQLiteSettings {
    /// The facade uses the same name, so a program that migrates from it keeps its device id.
    private static let deviceIDName = "optimizely-vuid"

    /// The id of this device, for `ClientConfiguration.deviceID`. The first call creates and stores it; from then
    /// on all processes that use the directory get the same id.
    ///
    /// - Throws: ``SQLiteError`` if it could not be read or stored.
    public func deviceID() throws -> DeviceID {
        if let id = try get(Self.deviceIDName).flatMap({ DeviceID(rawValue: $0) }) { return id }
        defer { journal.log() }
        return try journal.database.write { session in
            // Another process may have created one in the meantime.
            if let id = try session.setting(Self.deviceIDName).flatMap({ DeviceID(rawValue: $0) }) { return id }
            let id = DeviceID.new()
            try session.set(Self.deviceIDName, to: id.rawValue)
            return id
        }
    }
}

extension SQLiteSession {
    func setting(_ name: String) throws(SQLiteError) -> String? {
        try connection.first("SELECT value FROM settings WHERE name = ?", name) { $0.text(0) }
    }

    func removeSetting(_ name: String) throws(SQLiteError) {
        try connection.run("DELETE FROM settings WHERE name = ?", name)
    }

    func set(_ name: String, to value: String) throws(SQLiteError) {
        try connection.run("INSERT OR REPLACE INTO settings(name, value) VALUES(?, ?)", name, value)
    }
}
