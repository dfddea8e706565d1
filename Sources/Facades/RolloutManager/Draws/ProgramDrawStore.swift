#if SQLite
    import Foundation
    import TurnoutRollouts
    import TurnoutSQLite

    /// Keeps draws in the file of this program, and moves those there that the vendor's library has left behind. The
    /// file is opened when something is kept for the first time.
    struct ProgramDrawStore: DrawStore {
        private let earlier = UserDefaultsDrawStore(.standard)
        private var store: SettingsDrawStore { SettingsDrawStore(ProgramStorage.current.settings) }

        func draw(of experiment: String) throws -> RolloutDraw? {
            if let draw = try store.draw(of: experiment) { return draw }
            guard let draw = earlier.draw(of: experiment) else { return nil }
            try store.update(experiment) { $0 ?? draw }
            return try store.draw(of: experiment)
        }

        func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws {
            try store.update(experiment, change)
            // Otherwise a draw that is forgotten would be taken over again.
            if try store.draw(of: experiment) == nil { earlier.update(experiment) { _ in nil } }
        }
    }
#endif
