import TurnoutClient

/// Keeps the write-ahead log from growing without limit.
///
/// A checkpoint takes as long as writing the log did, and waits for the disk. So it runs on its own thread and
/// connection, while writing continues. The writer copies only the pages added in the meantime: the log restarts
/// when all of it is copied and no connection adds to it.
struct Checkpointer: Sendable {
    /// 16 MB, with pages of 8 KB. Each checkpoint waits for the disk, so rare ones increase throughput.
    private static let pagesToCopy = 2_000
    /// 2 MB: the writer may be delayed for that much.
    private static let fewPages = 250
    /// 200 MB: beyond it the writer has to copy the log itself.
    private static let manyPages = 25_000

    private enum State: Sendable {
        case idle, copying
        /// The number of pages that were copied.
        case copied(Int)
        /// Copying failed. It is not tried again before the log has this many pages.
        case failed(until: Int)
    }

    private final class Progress: Sendable {
        let state = Locked(State.idle)
    }

    private let path: String
    private let progress = Progress()

    init(path: String) { self.path = path }

    /// Checks the writer's log after a commit, and starts or finishes a checkpoint.
    func relieve(_ connection: SQLiteConnection) {
        let pages = connection.logPages
        // The common case costs one comparison.
        guard pages >= Self.pagesToCopy else { return }
        let (starts, finishes) = progress.state.withLock { state in
            switch state {
            // The thread may start late when the machine has none left.
            case .copying: return (false, pages > Self.manyPages)
            case .failed(let count) where pages < count: return (false, false)
            case .copied(let count)
            where pages >= count && pages - count <= Self.fewPages || pages > Self.manyPages:
                state = .idle
                return (false, true)
            case .idle, .copied, .failed:
                state = .copying
                return (true, false)
            }
        }
        if starts { start(at: pages) }
        if finishes { connection.copyLog() }
    }

    private func start(at pages: Int) {
        WorkThread.run { [path, progress] in
            // The writer meets the same failures, and handles them.
            let count = (try? SQLiteConnection(path: path))?.copyLog()?.copied
            progress.state.withLock { $0 = count.map { .copied($0) } ?? .failed(until: pages + Self.fewPages) }
        }
    }
}

extension SQLiteConnection {
    /// Copies the log into the file, except for pages that other connections still read; if that is all of it, the
    /// log restarts from its beginning. Needs no space if the file had as many pages before. Does not wait for
    /// other connections.
    ///
    /// - Returns: The pages in the log, and how many of them are in the file now; nil if another connection is
    ///   copying.
    @discardableResult
    func copyLog() -> (pages: Int, copied: Int)? {
        guard let statement = try? statement("PRAGMA wal_checkpoint(PASSIVE)"), (try? statement.step()) == true
        else { return nil }
        defer { statement.reset() }
        return statement.int(0) == 0 ? (Int(statement.int(1)), Int(statement.int(2))) : nil
    }

    /// Copies the whole log into the file and truncates it, so no earlier version of a page is left in it.
    ///
    /// - Throws: An error with SQLite's code 5 if other connections still read from the log.
    package func emptyLog() throws(SQLiteError) {
        let statement = try statement("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { statement.reset() }
        guard try statement.step(), statement.int(0) == 0 else {
            throw SQLiteError(
                code: SQLiteError.busy,
                message: "deleted from the tables, but the write-ahead log still contains it, because another "
                    + "connection reads from it; try again",
                file: path)
        }
    }
}
