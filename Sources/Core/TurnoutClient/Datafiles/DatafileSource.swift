/// Where datafiles come from.
public protocol DatafileSource: Sendable {
    /// Asks for the newest datafile; may take long.
    ///
    /// - Returns: The datafile, or nil: it has not changed since the last call.
    /// - Throws: Anything, if it could not be found out.
    func newest() async throws -> [UInt8]?

    /// The last good datafile that an earlier run kept, or nil: there is none. Quick, and without a network.
    func kept() -> [UInt8]?
}

/// A source whose datafiles are handed in by the program itself.
public final class MemoryDatafileSource: DatafileSource {
    private struct State {
        var datafile: [UInt8]?
        var isNew: Bool
        var failure: (any Error)?
    }

    private let state: Locked<State>

    /// Creates a source. Default: it has no datafile yet.
    public init(_ datafile: [UInt8]? = nil) {
        state = Locked(State(datafile: datafile, isNew: datafile != nil))
    }

    /// Hands in a newer datafile.
    public func publish(_ datafile: [UInt8]) {
        state.withLock { $0 = State(datafile: datafile, isNew: true) }
    }

    /// Makes every request fail, until the next datafile is published.
    public func fail(with error: any Error) { state.withLock { $0.failure = error } }

    /// The datafile that was handed in last, or nil: it was asked for before.
    public func newest() async throws -> [UInt8]? {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            defer { state.isNew = false }
            return state.isNew ? state.datafile : nil
        }
    }

    /// The datafile that was handed in last.
    public func kept() -> [UInt8]? { state.withLock { $0.datafile } }
}

extension DatafileSource where Self == MemoryDatafileSource {
    /// A datafile that the program has already.
    public static func memory(_ datafile: [UInt8]) -> MemoryDatafileSource { MemoryDatafileSource(datafile) }
}
