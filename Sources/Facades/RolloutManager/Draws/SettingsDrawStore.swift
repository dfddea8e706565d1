#if SQLite
    public import TurnoutClient
    import TurnoutEngine
    package import TurnoutRollouts
    package import TurnoutSQLite

    /// Keeps draws in a SQLite file: a row for each experiment, with a text such as
    /// `{"number":0.44,"variant":"variant_01"}`.
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
            guard case .object(let members)? = try? JSONValue(parsing: text) else { return nil }
            return RolloutDraw(variant: members["variant"]?.text, number: members["number"]?.number)
        }

        private static func text(_ draw: RolloutDraw) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            if let number = draw.number {
                writer.key("number")
                writer.double(number)
            }
            if let variant = draw.variant {
                writer.key("variant")
                writer.string(variant)
            }
            writer.endObject()
            return writer.text
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

    extension JSONValue {
        fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }

        fileprivate var number: Double? {
            switch self {
            case .integer(let number): Double(number)
            case .double(let number): number
            default: nil
            }
        }
    }
#endif
