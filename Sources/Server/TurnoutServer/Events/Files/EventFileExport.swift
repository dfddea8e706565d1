package import TurnoutClient

/// Writes received events to files that a warehouse reads: compressed lines of JSON, by kind and UTC day.
///
/// ```text
/// FOLDER/exposures/2026-11-28/00000000000000000000.ndjson.gz
/// FOLDER/conversions/2026-11-28/00000000000000000000.ndjson.gz
/// ```
///
/// It writes part by part, with an offset of its own in the log, which is the name of the part's files and advances
/// when all of them are in place. Before that, it writes to `FOLDER/.part` where the part begins and ends. So a
/// process that ends in between, even with the machine, is followed by one that writes the same files with the same
/// bytes, and every event in the log is in one file, which never changes.
package final class EventFileExport: Sendable {
    private struct State {
        var counts = (files: 0, events: 0)
        /// Where the next part begins; nil before the first one.
        var start: Int64?
        /// Where it ends, if some of its files may be in place.
        var end: Int64?
        /// Locked as long as this process writes to the folder.
        var lock: SegmentFile?
    }

    private struct Part {
        var end: Int64
        var lines: EventFileLines
        /// The bytes of the log whose events are missing.
        var lostBytes = 0
    }

    private static let kinds = ["exposures", "conversions"]
    /// The number of bytes of the log to read at a time.
    private static let pageSize = 1 << 20
    /// The time between two looks into the log, each of which may end in a small part.
    private static let interval = Duration.seconds(600)

    private let log: any EventLogReading
    private let folder: String
    private let reader: EventReader
    private let partSize: Int
    private let work: RetriedWork
    private let messages: any Log
    private let state = Locked(State())

    /// Creates the export of a log.
    ///
    /// - Parameters:
    ///   - log: The received bodies.
    ///   - folder: The absolute path of the folder, created if necessary.
    ///   - partSize: The number of bytes of lines, before compression, at which a part ends. Default: 32 MiB.
    ///   - clock: Measures pauses. Default: the system's clock.
    ///   - messages: Receives failures.
    package init(
        _ log: any EventLogReading, to folder: String, partSize: Int = 32 << 20,
        clock: any Clock<Duration> = .continuous, messages: any Log
    ) {
        self.log = log
        self.folder = folder
        reader = .files(in: folder)
        self.partSize = partSize
        self.messages = messages
        work = RetriedWork(
            failure: "events: not written to files", recovery: "events: written to files again",
            Backoff(first: .seconds(1), longest: Self.interval, random: .system), clock: clock, messages: messages)
    }

    /// The numbers since the start.
    package var counts: (files: Int, events: Int) { state.withLock { $0.counts } }

    /// Writes what is in the log, and what is added, until the task is canceled. After a failure, it tries again.
    package func run() async {
        await work.run {
            while try await BlockingCall.result(of: { try self.writeNext() }) {}
            return Self.interval
        }
    }

    /// Writes the next part. Blocks.
    ///
    /// - Returns: Whether it ended because of its size, not at the end of the log.
    /// - Throws: ``EventLogError`` if it is not in files. Then the next call writes the same part.
    package func writeNext() throws(EventLogError) -> Bool {
        try state.withLock { (state) throws(EventLogError) in try writeNext(&state) }
    }

    private func writeNext(_ state: inout State) throws(EventLogError) -> Bool {
        let start = try begin(&state)
        let (needed, known) = (state.end ?? start, log.end)
        guard needed <= known else {
            throw .disk(
                "the log of events ends at byte \(known), but its first \(needed) bytes are in the files: the log "
                    + "was deleted or restored; end this export with --forget, and export to another folder")
        }
        var part = try read(from: start, to: state.end)
        guard part.end > start else { return false }
        try SegmentFile.replace(folder + "/.part", with: Array("\(start) \(part.end)".utf8))
        SystemCall.synchronizeNames(in: folder)
        let isRepeated = state.end != nil
        state.end = part.end
        let files = try part.lines.compressed()
        try put(files, ofPartAt: start)
        try log.acknowledge(part.end, by: reader.name)
        (state.start, state.end) = (part.end, nil)
        state.counts.files += files.count
        state.counts.events += part.lines.count
        if part.lostBytes > 0 {
            messages(
                .error,
                "events: \(part.lostBytes) bytes of the log are in no file, because they are damaged, or were "
                    + "deleted because of their age")
        }
        return isRepeated || part.lines.size >= partSize
    }

    /// Reads a part up to its end, or else up to its size or the end of the log.
    private func read(from start: Int64, to end: Int64?) throws(EventLogError) -> Part {
        var part = Part(end: max(start, log.start), lines: EventFileLines(limit: partSize))
        part.lostBytes = Int(part.end - start)
        func contains(_ offset: Int64) -> Bool { end.map { offset < $0 } ?? (part.lines.size < partSize) }
        while contains(part.end) {
            let page = try log.read(from: part.end, size: Self.pageSize)
            guard page.next > part.end else { break }
            var rest = page.records[...]
            while let record = rest.first, contains(record.offset) {
                try part.lines.add(record)
                rest.removeFirst()
            }
            part.end = rest.first?.offset ?? page.next
            part.lostBytes += page.damagedBytes
        }
        part.end = end ?? part.end
        return part
    }

    /// Returns where the next part begins. Before the first part, this process becomes the only one that writes to
    /// the folder, and the log begins to keep what is not in files.
    private func begin(_ state: inout State) throws(EventLogError) -> Int64 {
        if let start = state.start { return start }
        try SystemCall.makeDirectory(folder)
        let lock = try lockFolder()
        if log.readers[reader.name] == nil {
            // Files of another log may have the names of this one's.
            guard !Self.kinds.contains(where: { SystemCall.exists("\(folder)/\($0)") }) else {
                throw .disk("\(folder) has events of an ended export, or of another server; use an empty folder")
            }
            SystemCall.remove(folder + "/.part")
            try log.acknowledge(log.start, by: reader.name)
        }
        var (start, end) = (log.offset(of: reader.name), Int64?.none)
        // After a power failure, the log may have an earlier offset.
        if let part = lastPart, start <= part.start { (start, end) = part }
        (state.start, state.end, state.lock) = (start, end, lock)
        return start
    }

    /// Where the last part began and ended, whether or not its files are in place; nil if there is none.
    private var lastPart: (start: Int64, end: Int64?)? {
        let file = try? SegmentFile.read(folder + "/.part")
        guard let file, let bytes = try? file.bytes(at: 0, count: file.size) else { return nil }
        let offsets = String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int64($0) }
        return offsets.count == 2 ? (offsets[0], offsets[1]) : nil
    }

    private func lockFolder() throws(EventLogError) -> SegmentFile {
        let lock = try SegmentFile.create(folder + "/.lock")
        guard lock.lock() else { throw .disk("another process writes events to \(folder)") }
        return lock
    }

    private func put(_ files: [(folder: String, content: [UInt8])], ofPartAt start: Int64) throws(EventLogError) {
        let digits = String(start)
        let name = String(repeating: "0", count: 20 - digits.utf8.count) + digits + ".ndjson.gz"
        for file in files {
            let folder = "\(folder)/\(file.folder)"
            try SystemCall.makeDirectory(folder)
            try SegmentFile.replace("\(folder)/\(name)", with: file.content)
            SystemCall.synchronizeNames(in: folder)
        }
        for kind in Self.kinds + ["."] { SystemCall.synchronizeNames(in: "\(folder)/\(kind)") }
    }

    /// Ends the export: the log keeps nothing for it any more. Its files stay.
    ///
    /// - Throws: ``EventLogError`` if the log keeps nothing for it, or another process writes to the folder.
    package func end() throws(EventLogError) {
        guard log.readers[reader.name] != nil else { throw .disk("nothing is kept for \(folder)") }
        let lock = SystemCall.exists(folder) ? try lockFolder() : nil
        defer { withExtendedLifetime(lock) {} }
        try log.forget(reader: reader.name)
    }
}
