/// The statuses of a client: the current one, then one after each change. See ``FlagClient/statusChanges``.
///
/// A slow reader sees only the latest status. The sequence does not retain the client, and ends with it.
public struct StatusChanges: AsyncSequence, Sendable {
    /// Never fails.
    public typealias Failure = Never

    private let changes: AsyncStream<Void>
    private let status: @Sendable () -> ClientStatus?

    /// Creates a sequence.
    ///
    /// - Parameters:
    ///   - changes: Has an element now and after each change.
    ///   - status: The current status, or nil if the client was deallocated.
    package init(_ changes: AsyncStream<Void>, status: @escaping @Sendable () -> ClientStatus?) {
        (self.changes, self.status) = (changes, status)
    }

    /// Reads the statuses.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: changes.makeAsyncIterator(), status: status) }

    /// Reads the statuses of one client.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var changes: AsyncStream<Void>.Iterator
        fileprivate let status: @Sendable () -> ClientStatus?
        private var last: ClientStatus?

        fileprivate init(changes: AsyncStream<Void>.Iterator, status: @escaping @Sendable () -> ClientStatus?) {
            (self.changes, self.status) = (changes, status)
        }

        /// The next status that differs in the datafile, its staleness, its stream or an error; nil at the end.
        public mutating func next() async -> ClientStatus? { await next(isolation: nil) }

        /// The next status that differs in the datafile, its staleness, its stream or an error; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientStatus? {
            while await changes.next(isolation: actor) != nil {
                guard let current = status() else { return nil }
                if let last, !current.differs(from: last) { continue }
                last = current
                return current
            }
            return nil
        }
    }
}
