#if SQLite
    public import TurnoutClient
    package import TurnoutRollouts
    package import TurnoutSQLite

    /// Keeps draws in a SQLite file: a row for each experiment, with a text such as `0.44 variant_01`.
    package struct SettingsDrawStore: DrawStore {
        private let settings: SQLiteSettings

        /// Keeps draws among the settings of a file.
        package init(_ settings: SQLiteSettings) { self.settings = settings }

        package func draw(of experiment: String) throws -> RolloutDraw? {
            try settings.get(Self.row(experiment)).flatMap(Self.draw)
        }

        package func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws {
            try settings.update(Self.row(experiment)) { text in change(text.flatMap(Self.draw)).map(Self.text) }
        }

        private static func row(_ experiment: String) -> String { "rollout/" + experiment }

        private static func draw(_ text: String) -> RolloutDraw? {
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            return RolloutDraw(variant: parts.count > 1 ? String(parts[1]) : nil, number: Double(parts[0]))
        }

        private static func text(_ draw: RolloutDraw) -> String {
            (draw.number.map { "\($0)" } ?? "?") + (draw.variant.map { " \($0)" } ?? "")
        }
    }

    extension DrawStorage {
        /// In a SQLite file, one row for each experiment. Several managers and processes may share a directory.
        ///
        /// - Parameters:
        ///   - path: The directory. If no file can be opened there, draws are kept in memory and an error is logged.
        ///   - log: Where trouble is reported. Default: the standard error output.
        /// - Returns: The storage. It is open.
        public static func directory(_ path: String, log: any Log = .standardError) -> DrawStorage {
            DrawStorage(SettingsDrawStore(SQLiteStorage.open(directory: path, log: log).settings))
        }
    }
#endif
