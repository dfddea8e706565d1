#if SQLite
    import TurnoutClient
    package import TurnoutServer

    /// Reads the log of a server from another process, while the server appends.
    package final class SegmentLogReader: EventLogReading {
        private let directory: SegmentDirectory
        private let readerOffsets: Locked<SegmentReaders>

        /// Creates a reader of the log in a directory.
        ///
        /// - Throws: ``EventLogError`` if there is no log.
        package init(directory path: String) throws(EventLogError) {
            directory = SegmentDirectory(path: path)
            readerOffsets = Locked(SegmentReaders(directory: path))
            guard SystemCall.exists(path + "/lock") else { throw .disk("\(path): there is no log of events") }
        }

        /// The offset after the last intact record. Reads the last segment.
        package var end: Int64 { directory.bases.last.flatMap { try? directory.end(of: $0) } ?? 0 }

        package func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage {
            let bases = directory.bases
            // Everything before the last segment is complete. The last one is only scanned at its end.
            if let last = bases.last, offset < last {
                return try directory.read(from: offset, to: last, size: size, bases: bases)
            }
            return try directory.read(from: offset, to: end, size: size, bases: bases)
        }

        package var readers: [String: Int64] { readerOffsets.withLock { $0.offsets } }

        package func offset(of reader: String) -> Int64 { readerOffsets.withLock { $0.offsets[reader] ?? 0 } }

        package func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError) {
            try readerOffsets.withLock { (readers) throws(EventLogError) in try readers.set(reader, offset) }
        }

        package func forget(reader: String) throws(EventLogError) {
            try readerOffsets.withLock { (readers) throws(EventLogError) in try readers.set(reader, nil) }
        }
    }
#endif
