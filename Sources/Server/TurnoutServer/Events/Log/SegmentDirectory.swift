import TurnoutEngine

/// The segments of a log: files that are named by the offset of their first byte. A segment ends where the next one
/// begins, so bytes of a write that failed are not part of the log.
struct SegmentDirectory: Sendable {
    let path: String

    /// The largest body that is read back; larger lengths are damage.
    static let maximumBody = 256 << 20

    /// The path of the segment that starts at an offset.
    func segment(_ base: Int64) -> String { "\(path)/events-\(base.hexadecimal(width: 16)).log" }

    /// The first offsets of all segments, ascending.
    var bases: [Int64] {
        SystemCall.names(in: path).compactMap { name in
            guard name.hasPrefix("events-"), name.hasSuffix(".log") else { return nil }
            return Int64(name.dropFirst(7).dropLast(4), radix: 16)
        }.sorted()
    }

    /// Reads records of the segments from an offset.
    ///
    /// - Parameters:
    ///   - offset: Where to start.
    ///   - end: The end of the log.
    ///   - size: The approximate number of bytes to read.
    ///   - bases: The first offsets of the segments.
    /// - Returns: Records, at least one if there is one.
    /// - Throws: ``EventLogError`` if a file cannot be read.
    func read(from offset: Int64, to end: Int64, size: Int, bases: [Int64]) throws(EventLogError) -> EventLogPage {
        var page = EventLogPage(next: max(offset, bases.first ?? offset))
        while page.next < end, page.records.isEmpty {
            guard let index = bases.lastIndex(where: { $0 <= page.next }) else { break }
            let limit = index + 1 < bases.count ? bases[index + 1] : end
            try readSegment(bases[index], to: min(limit, end), size: size, &page)
        }
        return page
    }

    /// Reads one or more records of a segment, or moves to its end.
    private func readSegment(
        _ base: Int64, to end: Int64, size: Int, _ page: inout EventLogPage
    ) throws(EventLogError) {
        guard let file = try SegmentFile.read(segment(base)) else {
            page.damagedBytes += Int(end - page.next)
            page.next = end
            return
        }
        var size = max(size, 64 << 10)
        while page.next < end, page.records.isEmpty {
            let count = min(size, Int(end - page.next))
            let bytes = try file.bytes(at: Int(page.next - base), count: count)
            let isWhole = page.next + Int64(bytes.count) >= end || bytes.count < count
            Self.scan(bytes, isWhole: isWhole, &page)
            page.records.removeAll(where: SegmentFormat.isErased)
            if isWhole, page.next < end, page.records.isEmpty || bytes.count < count {
                page.damagedBytes += Int(end - page.next)
                page.next = end
            }
            size *= 2
        }
    }

    /// Adds the records in bytes that start at the page's next offset. Bytes that are not a record are skipped.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - isWhole: Whether the segment ends with the bytes. If not, an incomplete record stays for the next page.
    ///   - page: Receives the records, and the offset after them.
    static func scan(_ bytes: [UInt8], isWhole: Bool, _ page: inout EventLogPage) {
        let base = page.next
        bytes.withUnsafeBytes { bytes in
            var place = 0
            while place < bytes.count {
                let header = SegmentFormat.header(in: bytes, at: place)
                if let header, let body = body(of: header, in: bytes, at: place, base: base) {
                    page.records.append(
                        EventLogRecord(offset: base + Int64(place), receivedAt: header.receivedAt, body: [UInt8](body)))
                    place += SegmentFormat.headerSize + header.length
                    continue
                }
                let mayContinue =
                    header.map { $0.length <= maximumBody && place + 24 + $0.length > bytes.count }
                    ?? (place + SegmentFormat.headerSize > bytes.count)
                if !isWhole, mayContinue { break }
                let next = SegmentFormat.nextCandidate(in: bytes, after: place)
                page.damagedBytes += next - place
                place = next
            }
            page.next = base + Int64(place)
        }
    }

    private static func body(
        of header: SegmentFormat.Header, in bytes: UnsafeRawBufferPointer, at place: Int, base: Int64
    ) -> UnsafeRawBufferPointer? {
        let start = place + SegmentFormat.headerSize
        guard header.length <= bytes.count - start else { return nil }
        let body = UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.length])
        let sum = SegmentFormat.checksum(body, receivedAt: header.receivedAt, offset: base + Int64(place))
        return sum == header.checksum ? body : nil
    }

    // MARK: Age

    /// When the record at an offset in a segment was received, in milliseconds since 1970; nil if there is none.
    func receiptTime(at offset: Int64, in base: Int64) -> Int64? {
        guard let file = try? SegmentFile.read(segment(base)),
            let bytes = try? file.bytes(at: Int(offset - base), count: SegmentFormat.headerSize)
        else { return nil }
        return bytes.withUnsafeBytes { SegmentFormat.header(in: $0, at: 0)?.receivedAt }
    }

    /// The segments whose records were all received before a time. The last segment is none of them.
    ///
    /// - Parameters:
    ///   - time: Milliseconds since 1970.
    ///   - bases: The first offsets of the segments.
    /// - Returns: The first of the bases.
    func expired(before time: Int64, of bases: [Int64]) -> ArraySlice<Int64> {
        var count = 0
        while count + 1 < bases.count {
            // A copy of the file has another time than its last record.
            let next = bases[count + 1]
            let times = [receiptTime(at: next, in: next), SystemCall.modificationTime(of: segment(bases[count]))]
            guard let end = times.compactMap(\.self).min(), end < time else { break }
            count += 1
        }
        return bases[..<count]
    }

    // MARK: The end

    /// The end of the last intact record of a segment.
    ///
    /// - Parameters:
    ///   - base: The first offset of the segment.
    ///   - known: An end that was found earlier, at which the search begins. Default: nil, it begins at the base.
    /// - Returns: The offset after the record.
    /// - Throws: ``EventLogError`` if the file cannot be read.
    func end(of base: Int64, after known: Int64? = nil) throws(EventLogError) -> Int64 {
        var end = max(base, known ?? base)
        guard let file = try SegmentFile.read(segment(base)) else { return end }
        let size = Int64(file.size)
        // Another log has taken the place of the one that was read earlier.
        if end > base + size { end = base }
        var page = EventLogPage(next: end)
        var step = 4 << 20
        while page.next < base + size {
            page.records = []
            let count = min(step, Int(base + size - page.next))
            let bytes = try file.bytes(at: Int(page.next - base), count: count)
            guard !bytes.isEmpty else { break }
            let before = page.next
            Self.scan(bytes, isWhole: page.next + Int64(bytes.count) >= base + size, &page)
            if let last = page.records.last {
                end = last.offset + Int64(SegmentFormat.headerSize + last.body.count)
            }
            // A record that is larger than the step.
            step = page.next == before ? step * 2 : 4 << 20
        }
        return end
    }
}
