/// Counts decisions by flag and variation, without threads waiting for each other.
final class DecisionCounts: Sendable {
    /// The properties that decisions of one count share.
    struct Key: Hashable, Sendable {
        let flag: String
        /// The variation's key, or nil for a decision without one.
        let variation: String?
    }

    private let counts = Sharded(capacity: 1) { _ in [Key: Int]() }

    /// Counts a decision. Unknown flags are not counted: their keys may come from end users, in any number.
    func add(_ decision: Decision) {
        guard decision.flag != nil else { return }
        let key = Key(flag: decision.flagKey, variation: decision.variationKey)
        // By thread rather than by flag: all threads may decide the same one.
        counts.withLock(of: CallingThread.fingerprint) { $0[key, default: 0] += 1 }
    }

    var total: [Key: Int] {
        counts.shards.reduce(into: [:]) { total, shard in total.merge(shard.state.withLock { $0 }, uniquingKeysWith: +)
        }
    }
}
