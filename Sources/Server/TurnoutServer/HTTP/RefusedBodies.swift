import TurnoutClient

/// Counts the bodies that are refused before a route reads them. Nothing of them is kept: they cannot be read.
package final class RefusedBodies: Sendable {
    /// Why a body is refused.
    package enum Reason: String, Sendable, CaseIterable {
        /// It is compressed in a way that the server does not know. (415)
        case unknownEncoding = "unknown_encoding"
        /// It is not compressed as its header says, or incomplete. (400)
        case invalidCompression = "invalid_compression"
        /// It is too large after expansion. (413)
        case tooLargeExpanded = "too_large_expanded"
        /// It has events, but is not a JSON object, or is incomplete. (400)
        case malformedEvents = "malformed_events"
    }

    private let counts = Locked<[Reason: Int]>([:])

    package init() {}

    package func add(_ reason: Reason) { counts.withLock { $0[reason, default: 0] += 1 } }

    /// The number of bodies that were refused for a reason.
    package subscript(reason: Reason) -> Int { counts.withLock { $0[reason] ?? 0 } }
}
