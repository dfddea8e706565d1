import TurnoutClient
import TurnoutRollouts

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
