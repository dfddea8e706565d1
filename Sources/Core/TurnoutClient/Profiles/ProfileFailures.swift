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

/// Counts the failures of one store or client, and reports them without filling the log.
final class ProfileLedger: Sendable {
    private let name: String
    private let log: any Log
    private let state = Locked(ProfileFailures())

    /// Creates an empty ledger. The name is for the log.
    init(_ name: String, log: any Log) {
        self.name = name
        self.log = log
    }

    /// What went wrong so far.
    var failures: ProfileFailures { state.withLock { $0 } }

    /// Counts failures. Each power of two is reported: an outage of hours must not fill the log.
    func add(_ kind: ProfileFailures.Kind, count: Int = 1, _ error: (any Error)? = nil) {
        let (old, new) = state.withLock { failures in
            defer { failures[kind] += count }
            return (failures[kind], failures[kind] + count)
        }
        guard new.leadingZeroBitCount < old.leadingZeroBitCount else { return }
        let text = "\(name): \(new) \(kind.rawValue) so far"
        if let error { log.failure(.error, text, error) } else { log(.error, text) }
    }
}

/// Why a store that wraps another one did not do what it was asked for.
public enum ProfileStoreError: Error, Sendable, Equatable {
    /// The other store did not answer in time.
    case late
    /// So many calls of the other store are late that it was not asked.
    case stuck
    /// Too many assignments wait to be written.
    case full
}

extension ProfileStoreError: PrintableError {
    /// The error in words.
    public var description: String {
        switch self {
        case .late: "the store did not answer in time"
        case .stuck: "the store does not answer any more"
        case .full: "too many assignments wait to be written"
        }
    }
}
