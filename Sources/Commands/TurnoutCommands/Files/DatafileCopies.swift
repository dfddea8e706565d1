import LibC
import TurnoutClient
import TurnoutCommandIO
import TurnoutReports

#if SQLite
    import TurnoutSQLite
#endif

/// The copies of downloaded datafiles, in the user's cache folder. This value has that of one datafile.
///
/// The folder is `turnout` in `$XDG_CACHE_HOME`, or else in `~/.cache`, as the XDG Base Directory Specification says.
struct DatafileCopies {
    /// The path of the folder; nil if the environment names none.
    private static var folder: String? {
        func path(_ name: String) -> String? {
            // The specification says to ignore relative paths.
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return (path("XDG_CACHE_HOME") ?? path("HOME").map { $0 + "/.cache" }).map { $0 + "/turnout" }
    }

    #if SQLite
        private let key: String
        private let storage: SQLiteStorage

        /// Opens the folder, and creates it if necessary. Returns nil with a warning if that fails.
        static func open(key: String) -> DatafileCopies? {
            guard let folder else { return nil }
            do {
                return DatafileCopies(key: key, storage: try SQLiteStorage(directory: folder, log: CommandLog()))
            } catch {
                CommandLog().write(.warning, "no copy of the datafile is used or kept: \(error); see --no-cache")
                return nil
            }
        }

        private var ageName: String { "confirmed " + key }

        /// Remembers that the server has just confirmed or sent the copy.
        func confirm() {
            do { try storage.settings.set(ageName, to: "\(SystemWallClock().millisecondsSince1970())") } catch {
                CommandLog().write(.warning, "the age of the datafile's copy cannot be stored: \(error)")
            }
        }

        /// The time since the server confirmed or sent the copy.
        var age: Duration? {
            guard let text = try? storage.settings.get(ageName), let time = Int64(text) else { return nil }
            return .milliseconds(SystemWallClock().millisecondsSince1970() - time)
        }

        func forget() throws { try storage.datafiles.forget(key) }
    #else
        /// Returns nil: copies need the trait `SQLite`.
        static func open(key: String) -> DatafileCopies? { nil }
        func confirm() {}
        var age: Duration? { nil }
        func forget() throws {}
    #endif
}

extension DatafileCopies: DatafileCache {
    #if SQLite
        func copy(for _: String) throws -> DatafileCopy? { try storage.datafiles.copy(for: key) }
        func keep(_ copy: DatafileCopy, for _: String) throws { try storage.datafiles.keep(copy, for: key) }
        func forget(_: String) throws { try forget() }
    #else
        func copy(for _: String) -> DatafileCopy? { nil }
        func keep(_ copy: DatafileCopy, for _: String) {}
        func forget(_: String) {}
    #endif
}

/// Writes the warnings of the client's modules as those of commands.
struct CommandLog: Log {
    func isEnabled(_ level: LogLevel) -> Bool { level <= .warning }
    func write(_ level: LogLevel, _ message: String) {
        StandardStream.error.put("turnout: \(level): \(message.printable)\n")
    }
}
