import TurnoutClient
import TurnoutRollouts

/// Decides experiments for this device, and keeps what it drew.
struct DrawKeeper: Sendable {
    let storage: DrawStorage
    let random: any RandomSource
    let log: any Log

    /// The variant of this device, or nil: none has any weight.
    func variant(of name: String, in experiment: RolloutExperiment) -> String? {
        var decided: RolloutDraw?
        do {
            let stored = try storage.store.draw(of: name)
            let known = stored ?? storage.unkept.draw(of: name)
            decided = experiment.decide(known) { RolloutDraw.number(from: random.next()) }
            guard let draw = decided, draw != stored else { return decided?.variant }
            // Decided again, because somebody else may have drawn by now. Who needs a number has drawn it already.
            try storage.store.update(name) { stored in
                decided = experiment.decide(stored ?? known) { draw.number ?? 1 }
                return decided ?? stored
            }
            storage.unkept.update(name) { _ in nil }
        } catch {
            if storage.unkept.draw(of: name) == nil { report("kept", name, error) }
            let number = decided?.number ?? RolloutDraw.number(from: random.next())
            storage.unkept.update(name) { known in
                decided = experiment.decide(known) { number }
                return decided ?? known
            }
        }
        return decided?.variant
    }

    /// Forgets the draw of an experiment.
    func forget(_ name: String) {
        storage.unkept.update(name) { _ in nil }
        do {
            if try storage.store.draw(of: name) != nil { try storage.store.update(name) { _ in nil } }
        } catch { report("forgotten", name, error) }
    }

    private func report(_ done: String, _ name: String, _ error: any Error) {
        log.failure(.error, "rollout: the draw of experiment \(name.debugDescription) cannot be \(done)", error)
    }
}
