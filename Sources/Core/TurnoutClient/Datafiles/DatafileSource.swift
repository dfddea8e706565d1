/// A source of datafiles.
///
/// A client calls ``newest()`` from any task when it starts, when it polls and in ``Client/refresh()``, and
/// ``cached()`` also from the thread that starts it. A source parses each datafile once, with ``Datafile/init(_:)``.
public protocol DatafileSource: Sendable {
    /// Requests the newest datafile. May take long; cancelling the task should end it.
    ///
    /// - Returns: The datafile, or nil if it has not changed since the last call.
    /// - Throws: Any error, if the request failed; the client keeps its datafile and logs the error.
    func newest() async throws -> Datafile?

    /// The last usable datafile, of this run or one that an earlier run cached; nil if there is none. Must be fast, and
    /// must not use a network.
    func cached() -> Datafile?
}

/// A source whose datafiles the program passes in.
public final class MemoryDatafileSource: DatafileSource {
    private struct State {
        var datafile: Result<Datafile, DatafileError>?
        var isNew: Bool
        var failure: (any Error)?
    }

    private let state: Locked<State>

    /// Creates a source. Without a datafile it is empty until ``publish(_:)``.
    public init(_ datafile: [UInt8]? = nil) {
        state = Locked(State(datafile: datafile.map(Self.parse), isNew: datafile != nil))
    }

    /// Publishes a newer datafile. If it cannot be used, the next request fails.
    public func publish(_ datafile: [UInt8]) {
        let parsed = Self.parse(datafile)
        state.withLock { $0 = State(datafile: parsed, isNew: true) }
    }

    private static func parse(_ bytes: [UInt8]) -> Result<Datafile, DatafileError> {
        do throws(DatafileError) { return .success(try Datafile(bytes)) } catch { return .failure(error) }
    }

    /// Makes every request fail, until the next datafile is published.
    public func fail(with error: any Error) { state.withLock { $0.failure = error } }

    /// The last published datafile, or nil if it was already returned.
    ///
    /// - Throws: `DatafileError` if it cannot be used, or the error of ``fail(with:)``.
    public func newest() async throws -> Datafile? {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            defer { state.isNew = false }
            return state.isNew ? try state.datafile?.get() : nil
        }
    }

    /// The last published datafile, or nil if it cannot be used.
    public func cached() -> Datafile? { try? state.withLock { $0.datafile }?.get() }
}

extension DatafileSource where Self == MemoryDatafileSource {
    /// Creates a source with a given datafile.
    public static func memory(_ datafile: [UInt8]) -> MemoryDatafileSource { MemoryDatafileSource(datafile) }
}
