import TurnoutClient

/// Writes records to the last segment, and begins new ones. Used by one thread at a time.
struct SegmentWriter {
    let directory: SegmentDirectory
    let options: EventLogOptions
    /// The file that keeps other processes from writing; held as long as the log is open.
    private var lock: SegmentFile?
    private var file: SegmentFile?
    private(set) var base: Int64 = 0
    /// The offset after the last record.
    private(set) var end: Int64 = 0
    private var isOpen = false
    /// When the first record of the segment was received, in milliseconds since 1970; nil if it has none.
    private var startTime: Int64?
    private var buffer: [UInt8] = []

    init(directory: SegmentDirectory, options: EventLogOptions) {
        self.directory = directory
        self.options = options
    }

    /// The result of opening a log.
    struct Opening {
        var bases: [Int64] = []
        /// The bytes after the last intact record, which were removed.
        var removedBytes: Int64 = 0
    }

    /// Creates the directory, locks it, and finds the end of the log.
    ///
    /// - Returns: What was found; nil if the log was open already.
    mutating func open() throws(EventLogError) -> Opening? {
        guard !isOpen else { return nil }
        try SystemCall.makeDirectory(directory.path)
        if lock == nil {
            let file = try SegmentFile.create(directory.path + "/lock")
            guard file.lock() else {
                throw .locked(directory.path)
            }
            lock = file
            SegmentRewriting.removeUnfinished(in: directory.path)
        }
        var opening = Opening(bases: directory.bases)
        if let last = opening.bases.last {
            (base, end) = (last, try directory.end(of: last))
            let file = try SegmentFile.open(directory.segment(last))
            opening.removedBytes = Int64(file.size) - (end - base)
            if opening.removedBytes > 0, !file.truncate(to: Int(end - base)) {
                throw SystemCall.failure("truncate", file.path)
            }
            self.file = file
            startTime = directory.receiptTime(at: last, in: last)
        }
        isOpen = true
        return opening
    }

    struct Record {
        let body: [UInt8]
        let receivedAt: Int64
    }

    /// Writes records, and waits for the disk. Either all of them are in the log, or none.
    ///
    /// - Returns: The offsets of the records, and the first offset of a segment that was begun.
    mutating func write(_ records: [Record]) throws(EventLogError) -> (offsets: [Int64], begun: Int64?) {
        try checkPlace()
        var begun: Int64?
        if file == nil || end - base >= options.segmentSize { begun = try begin() }
        guard let file else { throw .closed }
        buffer.removeAll(keepingCapacity: true)
        var offsets: [Int64] = []
        offsets.reserveCapacity(records.count)
        for record in records {
            let offset = end + Int64(buffer.count)
            offsets.append(offset)
            SegmentFormat.append(record.body, receivedAt: record.receivedAt, offset: offset, to: &buffer)
        }
        do {
            try file.write(buffer, at: Int(end - base))
            if options.survives == .powerLoss { try file.synchronize() }
        } catch {
            // After a failed sync the system may have dropped the data, and reports success the next time: the rest
            // goes to a new file. Truncating gives a full disk its room back.
            _ = file.truncate(to: Int(end - base))
            self.file = nil
            throw error
        }
        end += Int64(buffer.count)
        startTime = startTime ?? records.first?.receivedAt
        if buffer.capacity > 8 << 20 { buffer = [] }
        return (offsets, begun)
    }

    /// Throws if a file that events go to would be lost at the end of the process.
    mutating func checkPlace() throws(EventLogError) {
        guard lock?.isInPlace != false else {
            throw .disk("\(directory.path) was deleted, moved or replaced while the server used it; restart the server")
        }
        if file?.isInPlace == false { file = nil }
    }

    /// Throws if records cannot be written.
    mutating func probe() throws(EventLogError) {
        try checkPlace()
        let file = try SegmentFile.create(directory.path + "/probe")
        defer { SystemCall.remove(file.path) }
        try file.write([UInt8](repeating: 0, count: 64 << 10), at: 0)
    }

    /// Begins a new segment if the first record of the last one was received before a time.
    ///
    /// - Returns: The first offset of the new segment; nil if none was begun.
    mutating func begin(ifStartedBefore time: Int64) throws(EventLogError) -> Int64? {
        guard isOpen, end > base, let startTime, startTime < time else { return nil }
        return try begin()
    }

    /// Begins a new segment unless the last one is empty, so that nothing is appended to the earlier ones any more.
    ///
    /// - Returns: The first offset of the new segment; nil if none was begun.
    mutating func beginNext() throws(EventLogError) -> Int64? {
        guard isOpen, end > base else { return nil }
        return try begin()
    }

    private mutating func begin() throws(EventLogError) -> Int64 {
        file = try SegmentFile.create(directory.segment(end))
        if options.survives == .powerLoss { SystemCall.synchronizeNames(in: directory.path) }
        (base, startTime) = (end, nil)
        return base
    }

    mutating func close() { (file, lock, isOpen) = (nil, nil, false) }
}
