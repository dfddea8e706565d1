#if SQLite
    import TurnoutClient

    /// The file behind its locks: one connection that writes, one for reading meanwhile.
    final class Database: Sendable {
        let notices = Notices()
        private let file: StorageFile?
        private let options: SQLiteOptions
        private let writer: Locked<Writer>
        private let reader = Locked<Reader>(Reader())

        private struct Reader {
            var session: Session?
            var useCount = 0
        }

        /// Prepares to open the file in a directory; nil: a database in memory.
        init(directory: String?, options: SQLiteOptions) {
            let file = directory.map { StorageFile(directory: $0, syncsNames: options.survives == .powerLoss) }
            self.file = file
            self.options = options
            let notices = notices
            writer = Locked(Writer(file: file, options: options, notices: notices))
        }

        /// Opens the file, if it is not open yet.
        func open() throws { try withWriter { _ = try $0.read { _ in true } } }

        /// Whether there is a file.
        var isDurable: Bool { file != nil }

        /// Calls `body` while nobody else writes in this process.
        func withWriter<Result: Sendable>(_ body: (inout Writer) throws -> Result) rethrows -> Result {
            try writer.withLock { writer in
                let result = try body(&writer)
                // Its file is not the one that was put aside.
                if writer.hasReplacedFile {
                    writer.hasReplacedFile = false
                    reader.withLock { $0.session = nil }
                }
                return result
            }
        }

        /// Calls `body` in a transaction.
        func write<Result: Sendable>(_ body: (Session) throws -> Result) throws -> Result {
            try withWriter { try $0.write(body) }
        }

        /// Calls `body` to read what was committed, without waiting for who writes.
        func read<Result: Sendable>(_ body: (Session) throws -> Result) throws -> Result {
            if let file {
                let result: Result? = reader.withLock { reader in
                    reader.useCount += 1
                    // Another process may have replaced a damaged file. Asking each time would cost as much as reading.
                    if reader.useCount % 64 == 0, reader.session?.connection.hasMoved == true { reader.session = nil }
                    do {
                        let session = try reader.session ?? Session(path: file.path, options: options)
                        reader.session = session
                        return try body(session)
                    } catch {
                        reader.session = nil
                        return nil
                    }
                }
                if let result { return result }
            }
            // The writer knows what to do with damage.
            return try withWriter { try $0.read(body) }
        }
    }

    /// What is to be logged when no lock is held any more.
    final class Notices: Sendable {
        private let messages = Locked<[String]>([])

        func add(_ message: String) { messages.withLock { $0.append(message) } }

        func deliver(to log: any Log) {
            let messages = messages.withLock { messages in
                defer { if !messages.isEmpty { messages = [] } }
                return messages
            }
            for message in messages { log.write(.error, message) }
        }
    }
#endif
