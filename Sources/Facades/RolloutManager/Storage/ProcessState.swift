import TurnoutClient

#if SQLite
    package import TurnoutSQLite
#endif

// The mutable state that all managers of a process share. The library's interface creates managers without a parameter
// for their storage, and one file needs one storage.

#if SQLite
    extension ProgramStorage {
        /// The program's storage, opened on first use.
        static let standard = SQLiteStorage.open(directory: directory, log: StandardErrorLog().ofThisModule)

        /// The storages that replace suites of user defaults, by name.
        static let suites = Locked<[String: SQLiteStorage]>([:])

        /// A storage for the current task; nil for the program's. Set only by tests, to leave no files behind.
        @TaskLocal package static var chosen: SQLiteStorage?
    }
#endif

extension UserDefaultsDrawStore {
    /// Serializes changes: user defaults have no transactions, and several stores may use the same ones.
    static let lock = Locked(())
}
