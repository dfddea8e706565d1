#if SQLite
    import Foundation
    public import TurnoutClient
    package import TurnoutRollouts
    package import TurnoutSQLite

    /// Stores draws in a SQLite file: one row per experiment, with a string such as `0.44 variant_01`.
    package struct SettingsDrawStore: DrawStore {
        private let settings: SQLiteSettings

        /// Creates a store on a file's settings.
        package init(_ settings: SQLiteSettings) { self.settings = settings }

        package func draw(of experiment: String) throws -> RolloutDraw? {
            try settings.get(Self.row(experiment)).flatMap(Self.draw)
        }

        package func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws {
            try settings.update(Self.row(experiment)) { text in change(text.flatMap(Self.draw)).map(Self.text) }
        }

        static func row(_ experiment: String) -> String { "rollout/" + experiment }

        /// Parses a row; nil if it contains neither a number nor a variant.
        static func draw(_ text: String) -> RolloutDraw? {
            // Bytewise, because a combining mark at the beginning of a variant's name forms one character with the
            // space.
            let space = text.utf8.firstIndex(of: UInt8(ascii: " "))
            let number = Double(text[..<(space ?? text.utf8.endIndex)])
            let variant = space.map { String(text.utf8[$0...].dropFirst()) ?? "" }
            return variant == nil && number == nil ? nil : RolloutDraw(variant: variant, number: number)
        }

        static func text(_ draw: RolloutDraw) -> String {
            (draw.number.map { "\($0)" } ?? "?") + (draw.variant.map { " \($0)" } ?? "")
        }
    }

    extension DrawStorage {
        /// Stores draws in a SQLite file, one row per experiment. Several managers and processes may share a directory.
        ///
        /// - Parameters:
        ///   - path: The directory of the file. If the file cannot be opened, draws are kept in memory and an error is
        ///     logged.
        ///   - log: Receives errors. Default: standard error.
        /// - Returns: The opened storage.
        public static func directory(_ path: String, log: any Log = .standardError) -> DrawStorage {
            DrawStorage(SettingsDrawStore(SQLiteStorage.open(directory: path, log: log.ofThisModule).settings))
        }
    }

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
