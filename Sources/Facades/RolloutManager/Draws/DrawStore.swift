import TurnoutClient
package import TurnoutRollouts

/// Keeps what this device drew, by experiment.
package protocol DrawStore: Sendable {
    /// The draw of an experiment, or nil: there is none.
    func draw(of experiment: String) throws -> RolloutDraw?
    /// Replaces the draw of an experiment by what `change` makes of it; nil: there is none. Nobody writes in between.
    func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws
}

/// Keeps draws as long as the process runs.
package final class MemoryDrawStore: DrawStore {
    private let draws = Locked<[String: RolloutDraw]>([:])

    /// Creates an empty store.
    package init() {}

    package func draw(of experiment: String) -> RolloutDraw? { draws.withLock { $0[experiment] } }

    package func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) {
        draws.withLock { $0[experiment] = change($0[experiment]) }
    }
}

/// Keeps nothing.
struct NoDrawStore: DrawStore {
    func draw(of experiment: String) -> RolloutDraw? { nil }
    func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) { _ = change(nil) }
}
