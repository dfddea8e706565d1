import Synchronization
import TurnoutClient

/// The variations that users were put into for trying things out, by experiment. In memory.
///
/// Keys are kept as they were given: those that a datafile does not have take effect once it does.
package final class VariationOverrides: Sendable {
    private struct State {
        var variations: [ByteKey: [String: String]] = [:]
        var count = 0
    }

    private let limit: Int
    private let state = Locked(State())
    /// Read with each decision.
    private let hasAny = Atomic(false)

    /// Creates an empty list.
    ///
    /// - Parameter limit: The maximum number of overrides. Default: 10,000.
    package init(limit: Int = 10_000) { self.limit = limit }

    package var isEmpty: Bool { !hasAny.load(ordering: .relaxed) }

    /// The overridden variation keys of a user by experiment key.
    package func variations(of userID: String) -> [String: String] {
        state.withLock { $0.variations[ByteKey(userID)] ?? [:] }
    }

    /// Sets the variation of a user in an experiment; nil removes it.
    ///
    /// - Returns: The previous variation, or nil.
    /// - Throws: ``Full`` if there are too many.
    @discardableResult
    package func set(_ variation: String?, experiment: String, userID: String) throws(Full) -> String? {
        let user = ByteKey(userID)
        let previous = try state.withLock { (state) throws(Full) -> String? in
            let previous = state.variations[user]?[experiment]
            guard variation == nil || previous != nil || state.count < limit else { throw Full() }
            state.variations[user, default: [:]][experiment] = variation
            if state.variations[user]?.isEmpty == true { state.variations[user] = nil }
            state.count += (variation == nil ? 0 : 1) - (previous == nil ? 0 : 1)
            hasAny.store(state.count > 0, ordering: .relaxed)
            return previous
        }
        return previous
    }

    /// There are too many overrides.
    package struct Full: Error {}
}
