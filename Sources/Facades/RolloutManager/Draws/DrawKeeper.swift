import TurnoutClient
import TurnoutRollouts

/// Decides experiments for this device, and keeps what it drew.
final class DrawKeeper: Sendable {
    private let store: any DrawStore
    private let random: any RandomSource
    private let log: any Log
    /// Draws that the store could not take: without them users would change their variant from call to call.
    private let unkept = MemoryDrawStore()

    init(store: any DrawStore, random: any RandomSource, log: any Log) {
        self.store = store
        self.random = random
        self.log = log
    }

    /// The variant of this device, or nil: none has any weight.
    func variant(of name: String, in experiment: RolloutExperiment) -> String? {
        var decided: RolloutDraw?
        do {
            let known = try store.draw(of: name) ?? unkept.draw(of: name)
            decided = experiment.decide(known) { RolloutDraw.number(from: random.next()) }
            guard let draw = decided, draw != known else { return decided?.variant }
            // Decided again, because somebody else may have drawn by now. Who needs a number has drawn it already.
            try store.update(name) { known in
                decided = experiment.decide(known) { draw.number ?? 1 }
                return decided ?? known
            }
        } catch {
            log.failure(.error, "rollout: the draw of experiment \(name.debugDescription) cannot be kept", error)
            let number = decided?.number ?? RolloutDraw.number(from: random.next())
            unkept.update(name) { known in
                decided = experiment.decide(known) { number }
                return decided ?? known
            }
        }
        return decided?.variant
    }

    /// Forgets the draw of an experiment.
    func forget(_ name: String) {
        unkept.update(name) { _ in nil }
        do {
            if try store.draw(of: name) != nil { try store.update(name) { _ in nil } }
        } catch {
            log.failure(.error, "rollout: the draw of experiment \(name.debugDescription) cannot be forgotten", error)
        }
    }
}
