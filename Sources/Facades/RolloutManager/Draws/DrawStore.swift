import TurnoutClient
package import TurnoutRollouts

/// A store for this device's draws, by experiment.
///
/// A manager calls the store on the threads that ask for variants or delete draws. Calls may overlap, and may block.
/// Each request for a variant reads the draw, and updates it only if it is new or changes. If a call throws, the
/// request does not fail: the draw is kept in memory, and each further request tries to store it again. If deleting a
/// draw fails, the device keeps its variant. Errors are logged with their texts, which must contain no personal data.
package protocol DrawStore: Sendable {
    /// The draw of an experiment, or nil if there is none.
    ///
    /// - Throws: Any error, if it could not be read.
    func draw(of experiment: String) throws -> RolloutDraw?
    /// Atomically replaces the draw of an experiment by the result of `change`; nil means no draw.
    ///
    /// `change` runs on the calling thread, and must not call the store, which may hold a lock. It may be called again
    /// with another draw; the last result counts.
    ///
    /// - Throws: Any error, if the draw could not be read or stored. `change` may have been called.
    func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws
}

package final class MemoryDrawStore: DrawStore {
    private let draws = Locked<[String: RolloutDraw]>([:])

    package init() {}

    package func draw(of experiment: String) -> RolloutDraw? { draws.withLock { $0[experiment] } }

    package func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) {
        draws.withLock { $0[experiment] = change($0[experiment]) }
    }
}

struct NoDrawStore: DrawStore {
    func draw(of experiment: String) -> RolloutDraw? { nil }
    func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) { _ = change(nil) }
}

/// The storage for this device's draws.
public struct DrawStorage: Sendable {
    package let store: any DrawStore
    /// The draws that could not be stored; without them the variant would change from call to call.
    let unsavedDraws = MemoryDrawStore()

    /// Creates a storage on a store.
    package init(_ store: any DrawStore) { self.store = store }

    /// Keeps draws in memory.
    public static var memory: DrawStorage { DrawStorage(MemoryDrawStore()) }

    /// Stores nothing: each call draws anew.
    static var none: DrawStorage { DrawStorage(NoDrawStore()) }
}

/// Decides experiments for this device, and stores its draws.
struct DrawKeeper: Sendable {
    let storage: DrawStorage
    let random: any RandomSource
    let log: any Log

    /// The variant of this device, or nil if no variant has a positive weight.
    func variant(of name: String, in experiment: RolloutExperiment) -> String? {
        var decided: RolloutDraw?
        do {
            let stored = try storage.store.draw(of: name)
            let known = stored ?? storage.unsavedDraws.draw(of: name)
            decided = experiment.decide(known) { RolloutDraw.number(from: random.next()) }
            guard let draw = decided, draw != stored else { return decided?.variant }
            // Decided again, because another process may have drawn meanwhile. A number that is needed has been drawn
            // already.
            try storage.store.update(name) { stored in
                decided = experiment.decide(stored ?? known) { draw.number ?? 1 }
                return decided ?? stored
            }
            storage.unsavedDraws.update(name) { _ in nil }
        } catch {
            if storage.unsavedDraws.draw(of: name) == nil {
                report(name, "could not be stored; it is kept in memory and stored later, if that succeeds", error)
            }
            let number = decided?.number ?? RolloutDraw.number(from: random.next())
            storage.unsavedDraws.update(name) { known in
                decided = experiment.decide(known) { number }
                return decided ?? known
            }
        }
        return decided?.variant
    }

    /// Deletes the draw of an experiment.
    func forget(_ name: String) {
        storage.unsavedDraws.update(name) { _ in nil }
        do {
            if try storage.store.draw(of: name) != nil { try storage.store.update(name) { _ in nil } }
        } catch {
            report(name, "could not be deleted; the device keeps its variant", error)
        }
    }

    private func report(_ name: String, _ problem: String, _ error: any Error) {
        // The errors come from this module's stores only and contain no personal data.
        log(.error, "the draw of experiment \(name.debugDescription) \(problem): \(error)")
    }
}
