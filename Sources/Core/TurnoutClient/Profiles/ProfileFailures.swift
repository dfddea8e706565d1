/// The number of failures to load and store assignments, by kind.
///
/// Failures do not prevent decisions. The counts only grow.
public struct ProfileFailures: Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failures.
    public enum Kind: String, Sendable, CaseIterable {
        /// The store could not look up a user's assignments.
        case lookupFailed = "lookups failed"
        /// The store did not respond to a lookup in time, or was not called because too many calls were late.
        case lookupTimedOut = "lookups timed out"
        /// The store could not write a user's assignments, for now.
        case writeFailed = "writes failed"
        /// The store did not write a user's assignments in time. It may have written them later.
        case writeTimedOut = "writes timed out"
        /// A user's assignments were given up and are not in the store.
        case writeLost = "writes lost"
    }

    private var counts: [Kind: Int] = [:]

    /// Creates empty counts.
    public init() {}

    /// The number of failures of a kind.
    public internal(set) subscript(kind: Kind) -> Int {
        get { counts[kind] ?? 0 }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    /// The total number of failures.
    public var total: Int { counts.values.reduce(0, +) }

    /// The counts as text: `lookups timed out: 3, writes lost: 1`; `none` if there are none.
    public var description: String {
        let parts = Kind.allCases.filter { self[$0] != 0 }.map { "\($0.rawValue): \(self[$0])" }
        return parts.isEmpty ? "none" : parts.joined(separator: ", ")
    }
}

/// Counts the failures of one store or client, and logs them without filling the log.
final class ProfileFailureCounter: Sendable {
    private let name: String
    private let log: any Log
    private let state = Locked(ProfileFailures())

    /// Creates a counter. The name is for the log.
    init(_ name: String, log: any Log) {
        self.name = name
        self.log = log
    }

    var failures: ProfileFailures { state.withLock { $0 } }

    /// Counts failures. Logs only powers of two, because a long outage must not fill the log; none if they are told to
    /// another function.
    func add(_ kind: ProfileFailures.Kind, count: Int = 1, _ error: (any Error)? = nil, isTold: Bool = false) {
        let (old, new) = state.withLock { failures in
            defer { failures[kind] += count }
            return (failures[kind], failures[kind] + count)
        }
        guard !isTold, new.leadingZeroBitCount < old.leadingZeroBitCount else { return }
        let text = "\(name): \(new) \(kind.rawValue) so far"
        if let error { log.failure(.error, text, error) } else { log(.error, text) }
    }
}
