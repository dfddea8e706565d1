/// A probable mistake in a configuration.
package struct RolloutWarning: Sendable, Equatable, CustomStringConvertible {
    /// The experiment's name.
    package let experiment: String
    /// The key path, such as `Settings.is_sticky`; nil for the experiment as a whole.
    package let key: String?
    /// The problem and its consequence.
    package let problem: String

    /// The warning as text.
    package var description: String {
        "experiment \(experiment.debugDescription)" + (key.map { ", \($0)" } ?? "") + ": \(problem)"
    }
}
