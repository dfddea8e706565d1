import TurnoutClient

/// Reads the log of a server from another process, while the server appends.
package final class SegmentLogReader: EventLogReading {
    private let directory: SegmentDirectory
    private let readerOffsets: Locked<SegmentReaders>
    /// The end that was found last. Everything before it is complete.
    private let knownEnd = Locked<Int64>(0)

    /// Creates a reader of the log in a directory.
    ///
    /// - Throws: ``EventLogError`` if there is no log.
    package init(directory path: String) throws(EventLogError) {
        directory = SegmentDirectory(path: path)
        readerOffsets = Locked(SegmentReaders(directory: path))
        guard SystemCall.exists(path + "/lock") else { throw .disk("\(path): there is no log of events") }
    }

    package var start: Int64 { directory.bases.first ?? 0 }

    /// The offset after the last intact record. Reads what was appended to the last segment since the last call.
    package var end: Int64 {
        knownEnd.withLock { known in
            guard let last = directory.bases.last else { return 0 }
            if let end = try? directory.end(of: last, after: known) { known = end }
            return known
        }
    }

    package func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage {
        let bases = directory.bases
        // Everything before the last segment is complete. The last one is only scanned at its end.
        if let last = bases.last, offset < last {
            return try directory.read(from: offset, to: last, size: size, bases: bases)
        }
        return try directory.read(from: offset, to: end, size: size, bases: bases)
    }

    package var readers: [String: Int64] {
        readerOffsets.withLock { readers in
            readers.reload()
            return readers.offsets
        }
    }

    package func offset(of reader: String) -> Int64 { readers[reader] ?? 0 }

    package func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError) {
        try readerOffsets.withLock { (readers) throws(EventLogError) in try readers.set(reader, offset) }
    }

    package func forget(reader: String) throws(EventLogError) {
        try readerOffsets.withLock { (readers) throws(EventLogError) in try readers.set(reader, nil) }
    }

    /// Deletes the segments whose records were all received before a time, whatever readers have read. While a
    /// server runs, the segment to which it appends stays; a server begins a new one every day.
    ///
    /// - Parameter time: Milliseconds since 1970.
    /// - Returns: The number of deleted bytes.
    package func expire(before time: Int64) -> Int {
        var writer = SegmentWriter(directory: directory, options: EventLogOptions())
        // Fails if a server runs.
        if (try? writer.open()) != nil { _ = try? writer.begin(ifStartedBefore: time) }
        writer.close()
        let paths = directory.expired(before: time, of: directory.bases).map(directory.segment)
        let size = paths.reduce(0) { $0 + SystemCall.size(of: $1) }
        for path in paths { SystemCall.remove(path) }
        return size
    }
}
