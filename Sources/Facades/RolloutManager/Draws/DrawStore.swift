import TurnoutClient
package import TurnoutRollouts

/// A store for this device's draws, by experiment.
package protocol DrawStore: Sendable {
    /// The draw of an experiment, or nil if there is none.
    func draw(of experiment: String) throws -> RolloutDraw?
    /// Atomically replaces the draw of an experiment by the result of `change`; nil means no draw.
    func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws
}

/// Keeps draws in memory.
package final class MemoryDrawStore: DrawStore {
    private let draws = Locked<[String: RolloutDraw]>([:])

    /// Creates an empty store.
    package init() {}

    package func draw(of experiment: String) -> RolloutDraw? { draws.withLock { $0[experiment] } }

    package func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) {
        draws.withLock { $0[experiment] = change($0[experiment]) }
    }
}

/// Stores nothing.
struct NoDrawStore: DrawStore {
    func draw(of experiment: String) -> RolloutDraw? { nil }
    func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) { _ = change(nil) }
}

/// The storage for this device's draws.
public struct DrawStorage: Sendable {
    package let store: any DrawStore
    /// The draws that could not be stored; without them the variant would change from call to call.
    let unkept = MemoryDrawStore()

    /// Creates a storage on a store.
    package init(_ store: any DrawStore) { self.store = store }

    /// Keeps draws in memory.
    public static var memory: DrawStorage { DrawStorage(MemoryDrawStore()) }

    /// Stores nothing: each call draws anew.
    static var none: DrawStorage { DrawStorage(NoDrawStore()) }
}
