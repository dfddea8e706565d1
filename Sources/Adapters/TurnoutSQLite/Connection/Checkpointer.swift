#if SQLite
    import TurnoutClient

    /// Sees to it that the log, from which the file is brought up to date, does not grow for ever.
    ///
    /// That takes as long as writing the log did, and waits for the disk. So it happens on a thread and a connection of
    /// its own, while events go on into the log. Only what came meanwhile is left to who writes: the log begins anew
    /// when all of it was copied and nobody adds to it.
    struct Checkpointer: Sendable {
        /// 16 MB, with pages of 8 KB: each time waits for the disk, so doing it seldom lets more events through.
        private static let pagesToCopy = 2_000
        /// 2 MB: as long as that takes, who writes may be held up.
        private static let fewPages = 250
        /// 200 MB: as long as that takes, who writes has to be held up.
        private static let manyPages = 25_000

        private enum State: Sendable {
            case idle, copying
            /// So much of the log was copied.
            case copied(Int)
            /// Copying did not work. It is not tried again before the log has so many pages.
            case failed(until: Int)
        }

        private final class Progress: Sendable {
            let state = Locked(State.idle)
        }

        private let path: String
        private let progress = Progress()

        init(path: String) { self.path = path }

        /// Looks at the log of who writes, after a commit.
        func relieve(_ connection: SQLiteConnection) {
            let pages = connection.logPages
            // The usual case, at the price of a comparison.
            guard pages >= Self.pagesToCopy else { return }
            let (starts, finishes) = progress.state.withLock { state in
                switch state {
                // A thread may be long in coming when the machine has none left.
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
            BlockingCall.startUnbounded { [path, progress] in
                // What goes wrong here goes wrong for who writes, too, and that one knows what to do.
                let count = (try? SQLiteConnection(path: path))?.copyLog()?.copied
                progress.state.withLock { $0 = count.map { .copied($0) } ?? .failed(until: pages + Self.fewPages) }
            }
        }
    }

    extension SQLiteConnection {
        /// Copies what is in the log into the file, but for what others still read; if that is all, the log is written
        /// from its beginning again. Needs no room if the file had as many pages before. Does not wait for anybody.
        ///
        /// - Returns: How many pages there were, and how many of them are in the file now; nil: somebody else is at it.
        @discardableResult
        func copyLog() -> (pages: Int, copied: Int)? {
            guard let statement = try? statement("PRAGMA wal_checkpoint(PASSIVE)"), (try? statement.step()) == true
            else { return nil }
            defer { statement.reset() }
            return statement.int(0) == 0 ? (Int(statement.int(1)), Int(statement.int(2))) : nil
        }
    }
#endif
