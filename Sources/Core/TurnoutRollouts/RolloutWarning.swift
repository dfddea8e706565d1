/// Something in a configuration that is probably not meant.
package struct RolloutWarning: Sendable, Equatable, CustomStringConvertible {
    /// The experiment's name.
    package let experiment: String
    /// The key with what it is in: `Settings.is_sticky`. Nil: the experiment as a whole.
    package let key: String?
    /// What is wrong, and what follows from it.
    package let problem: String

    /// The warning in words.
    package var description: String {
        "experiment \(experiment.debugDescription)" + (key.map { ", \($0)" } ?? "") + ": \(problem)"
    }
}
