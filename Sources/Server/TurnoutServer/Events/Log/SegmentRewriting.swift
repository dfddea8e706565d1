import TurnoutClient

/// Replaces segments to which nothing is appended any more by copies without the events of some users.
///
/// A copy has the same records at the same offsets. It gets the name of the segment when all of it is on the disk,
/// so readers find one or the other. An error removes the copy; a process that ends in between leaves it, and the
/// next one removes it.
struct SegmentRewriting {
    private let directory: SegmentDirectory
    private let erasure: EventErasure
    private static let unfinishedEnding = ".log.new"

    init(_ directory: SegmentDirectory, _ erasure: EventErasure) {
        (self.directory, self.erasure) = (directory, erasure)
    }

    /// The content of a segment without the users.
    struct Erased {
        /// The bytes; empty if nothing has changed.
        var bytes: [UInt8] = []
        /// The number of records that have changed.
        var count = 0
    }

    /// The content of a segment without the users. Damaged bytes stay as they are.
    ///
    /// - Parameters:
    ///   - base: The first offset of the segment.
    ///   - end: The offset after it.
    /// - Returns: The content.
    /// - Throws: ``EventLogError`` if the file cannot be read.
    func erased(_ base: Int64, to end: Int64) throws(EventLogError) -> Erased {
        guard let file = try SegmentFile.read(directory.segment(base)) else { return Erased() }
        let content = try file.bytes(at: 0, count: min(file.size, Int(end - base)))
        var page = EventLogPage(next: base)
        SegmentDirectory.scan(content, isWhole: true, &page)
        var erased = Erased()
        for record in page.records where !SegmentFormat.isErased(record) {
            let body: [UInt8]
            switch erasure.outcome(for: record.body) {
            case .unchanged: continue
            case .changed(let rest): body = rest
            case .nothing: body = SegmentFormat.erasedBody(record.body.count)
            }
            if erased.count == 0 { erased.bytes = content }
            erased.count += 1
            var bytes: [UInt8] = []
            SegmentFormat.append(body, receivedAt: record.receivedAt, offset: record.offset, to: &bytes)
            let start = Int(record.offset - base)
            erased.bytes.replaceSubrange(start..<start + bytes.count, with: bytes)
        }
        return erased
    }

    /// Replaces a segment, unless it stays as it is.
    ///
    /// - Parameters:
    ///   - base: The first offset of the segment.
    ///   - erased: All of its content without the users.
    ///   - names: The lock that is also held while segments are deleted.
    /// - Returns: The number of records that have changed.
    /// - Throws: ``EventLogError`` if the disk fails. Then the segment stays as it was.
    func replace(_ base: Int64, by erased: Erased, _ names: borrowing Locked<Void>) throws(EventLogError) -> Int {
        let path = directory.segment(base)
        guard erased.count > 0, let file = try SegmentFile.read(path) else { return 0 }
        let copy = path + ".new"
        do throws(EventLogError) {
            try write(erased.bytes, to: copy, asOldAs: file)
            try names.withLock { (_) throws(EventLogError) in
                // Deleted meanwhile, with all events in it.
                guard SystemCall.exists(path) else { return SystemCall.remove(copy) }
                try SystemCall.move(copy, to: path)
            }
        } catch {
            // Frees the space on a full disk.
            SystemCall.remove(copy)
            throw error
        }
        SystemCall.synchronizeNames(in: directory.path)
        return erased.count
    }

    private func write(_ bytes: [UInt8], to path: String, asOldAs file: SegmentFile) throws(EventLogError) {
        let copy = try SegmentFile.create(path)
        try copy.write(bytes, at: 0)
        try copy.takeModificationTime(of: file)
        try copy.synchronize()
    }

    /// Removes copies that a process has not finished.
    static func removeUnfinished(in directory: String) {
        for name in SystemCall.names(in: directory)
        where name.hasPrefix("events-") && name.hasSuffix(unfinishedEnding) {
            SystemCall.remove(directory + "/" + name)
        }
    }
}
