public import Foundation
public import TurnoutClient

#if SQLite
    import TurnoutSQLite
#endif

/// Where the draws of this device are kept.
public struct DrawStorage: Sendable {
    package let store: any DrawStore

    /// Keeps draws in a store.
    package init(_ store: any DrawStore) { self.store = store }

    /// As long as the process runs.
    public static var memory: DrawStorage { DrawStorage(MemoryDrawStore()) }

    /// Nowhere: each call draws anew.
    static var none: DrawStorage { DrawStorage(NoDrawStore()) }

    /// In user defaults, under the keys of the vendor's library.
    public static func userDefaults(_ defaults: UserDefaults) -> DrawStorage {
        DrawStorage(UserDefaultsDrawStore(defaults))
    }

    #if SQLite
        /// In a SQLite file, one row for each experiment. Several managers and processes may share a directory.
        ///
        /// - Parameters:
        ///   - path: The directory. If no file can be opened there, draws are kept in memory and an error is logged.
        ///   - log: Where trouble is reported. Default: the standard error output.
        /// - Returns: The storage. It is open.
        public static func directory(_ path: String, log: any Log = .standardError) -> DrawStorage {
            DrawStorage(SettingsDrawStore(SQLiteStorage.open(directory: path, log: log).settings))
        }
    #endif
}
