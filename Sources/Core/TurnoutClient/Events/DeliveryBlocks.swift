/// The destinations to which nothing is sent for a while, because sending failed. Part of ``DeliveryState``.
package struct DeliveryBlocks: Sendable {
    /// The end of a block that only a flush lifts.
    private static let never = Duration.seconds(1_000_000_000_000)

    private var ends: [BlockedDestination: Duration] = [:]
    /// The blocks between the attempts of a run, which waits for their end.
    package private(set) var retries: Set<BlockedDestination> = []

    /// Creates a state without blocks.
    package init() {}

    /// The destinations that are blocked.
    package var destinations: Set<BlockedDestination> { Set(ends.keys) }

    /// Whether this destination itself is blocked.
    package func contains(_ destination: BlockedDestination) -> Bool { ends[destination] != nil }

    /// Whether the events of a group, which go to an address, are blocked.
    package func covers(_ group: OutgoingEvent.Group, _ address: String) -> Bool {
        guard !ends.isEmpty else { return false }
        return contains(.everything) || contains(.address(address)) || contains(.group(group))
    }

    /// Blocks a destination until a time; nil: until a flush. A longer block of it remains. `isRetry`: the run waits
    /// for the end.
    package mutating func add(_ destination: BlockedDestination, until end: Duration?, isRetry: Bool = false) {
        ends[destination] = max(ends[destination] ?? .zero, end ?? Self.never)
        if isRetry { retries.insert(destination) } else { retries.remove(destination) }
    }

    /// Ends the blocks whose time has passed. Returns whether there were any.
    package mutating func lift(at now: Duration) -> Bool { lift { $1 <= now } }

    /// Ends all blocks except the delays between attempts. Returns whether there were any.
    package mutating func liftAllButRetries() -> Bool {
        let retries = retries
        return lift { destination, _ in !retries.contains(destination) }
    }

    private mutating func lift(_ isOver: (BlockedDestination, Duration) -> Bool) -> Bool {
        let over = ends.filter { isOver($0.key, $0.value) }
        for destination in over.keys {
            ends[destination] = nil
            retries.remove(destination)
        }
        return !over.isEmpty
    }

    /// The run ended: the next one does not wait for its blocks.
    package mutating func runEnded() { retries = [] }
}
