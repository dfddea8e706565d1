#if SQLite
    import Foundation
    import TurnoutRollouts
    import TurnoutSQLite

    /// Stores draws in a SQLite file, and migrates those in user defaults. The user defaults are only read: on Linux a
    /// process that ends while Foundation writes them leaves an empty file.
    struct MigratingDrawStore: DrawStore {
        /// Marks a deleted draw that the user defaults still contain.
        private static let forgotten = "?"

        /// Returns the storage, and opens it on first use.
        private let storage: @Sendable () -> SQLiteStorage
        private let earlier: UserDefaultsDrawStore

        init(_ earlier: UserDefaults, _ storage: @escaping @Sendable () -> SQLiteStorage) {
            (self.earlier, self.storage) = (UserDefaultsDrawStore(earlier), storage)
        }

        func draw(of experiment: String) throws -> RolloutDraw? {
            let settings = storage().settings
            if let text = try settings.get(SettingsDrawStore.row(experiment)) { return SettingsDrawStore.draw(text) }
            guard earlier.draw(of: experiment) != nil else { return nil }
            try update(experiment) { $0 }
            return try settings.get(SettingsDrawStore.row(experiment)).flatMap(SettingsDrawStore.draw)
        }

        func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws {
            let inherited = earlier.draw(of: experiment)
            try storage().settings.update(SettingsDrawStore.row(experiment)) { text in
                let known = if let text { SettingsDrawStore.draw(text) } else { inherited }
                return change(known).map(SettingsDrawStore.text) ?? (inherited == nil ? nil : Self.forgotten)
            }
        }
    }
#endif
