/// What went wrong with remembering assignments: how often, and of which kind.
///
/// Decisions go on meanwhile. The counts only grow.
public struct ProfileFailures: Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Kind: String, Sendable, CaseIterable {
        /// The store could not tell what a user was assigned.
        case lookupFailed = "lookups failed"
        /// The store did not tell in time, or so many calls were late already that it was not asked.
        case lookupLate = "lookups late"
        /// The store could not take assignments of a user, for now.
        case writeFailed = "writes failed"
        /// The store did not take assignments of a user in time. It may have taken them later.
        case writeLate = "writes late"
        /// Assignments of a user were given up: they are not in the store.
        case writeLost = "writes lost"
    }

    private var counts: [Kind: Int] = [:]

    /// Nothing went wrong.
    public init() {}

    /// How often something went wrong.
    public internal(set) subscript(kind: Kind) -> Int {
        get { counts[kind] ?? 0 }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    /// How often anything went wrong.
    public var total: Int { counts.values.reduce(0, +) }

    /// The counts in words: `3 lookups late, 1 writes lost`; `none` if there are none.
    public var description: String {
        let parts = Kind.allCases.filter { self[$0] != 0 }.map { "\(self[$0]) \($0.rawValue)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}
