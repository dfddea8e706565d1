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

    /// The failures so far.
    var failures: ProfileFailures { state.withLock { $0 } }

    /// Counts failures. Logs only powers of two: a long outage must not fill the log.
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
