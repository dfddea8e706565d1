package import TurnoutClient

/// Keeps the bodies of received events, in their order, in segment files in a directory until every reader has read
/// them. A body is acknowledged once it is as durable as the options make it.
///
/// One thread writes while there is work: it takes everything that waits, writes it with one system call, waits for
/// the disk once, and acknowledges all of it. The slower the disk, the larger the commits
/// (Documentation/Decisions/0017).
package final class SegmentLog: EventLogReading {
    private struct Pending {
        let record: SegmentWriter.Record
        let completion: @Sendable (Result<Int64, EventLogError>) -> Void
    }

    /// A call that waits for bodies.
    private struct Flush {
        /// The number of the last body that it waits for.
        let last: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var pending: [Pending] = []
        /// The number of bodies that the writer has taken since the start.
        var taken = 0
        var pendingSize = 0
        var isWriting = false
        var isClosed = false
        var bases: [Int64] = []
        var status = EventLogStatus()
        var isLockedByAnother = false
        var flushes: [Flush] = []
    }

    private let directory: SegmentDirectory
    private let options: EventLogOptions
    private let log: any Log
    private let state = Locked(State())
    private let writer: Locked<SegmentWriter>
    private let readerOffsets: Locked<SegmentReaders>
    /// Held while users are erased.
    private let erasing = Locked(())
    /// Held while segments are deleted or replaced: a replaced one would come back.
    private let names = Locked(())

    /// Opens the log in a directory, and creates it if necessary.
    ///
    /// If that fails, for example because the disk is read-only, the log refuses bodies, ``EventLogStatus/problem``
    /// says why, and the next body tries again.
    package init(directory path: String, _ options: EventLogOptions = EventLogOptions(), log: any Log) {
        directory = SegmentDirectory(path: path)
        self.options = options
        self.log = log
        writer = Locked(SegmentWriter(directory: directory, options: options))
        readerOffsets = Locked(SegmentReaders(directory: path))
        state.withLock { $0.status.maximumSize = options.maximumSize }
        _ = attempt { (writer) throws(EventLogError) in try self.open(&writer) }
    }

    /// Whether another process has the log open.
    package var isLockedByAnother: Bool { state.withLock { $0.isLockedByAnother } }

    // MARK: Appending

    /// Appends a body, and waits until it is in the log without blocking a thread.
    ///
    /// - Parameters:
    ///   - body: The body, unchanged.
    ///   - time: When it was received, in milliseconds since 1970.
    /// - Returns: The body's offset.
    /// - Throws: ``EventLogError`` if the body is not in the log.
    @discardableResult
    package func append(_ body: [UInt8], receivedAt time: Int64) async throws(EventLogError) -> Int64 {
        let result: Result<Int64, EventLogError> = await withCheckedContinuation { continuation in
            append(body, receivedAt: time) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Appends a body. Returns at once; bodies that arrive in the meantime share a commit.
    ///
    /// - Parameters:
    ///   - body: The body, unchanged.
    ///   - time: When it was received, in milliseconds since 1970.
    ///   - completion: Called once, on any thread, with the body's offset when the body is in the log, or with an
    ///     error when it is not. Must return quickly.
    package func append(
        _ body: [UInt8], receivedAt time: Int64,
        completion: @escaping @Sendable (Result<Int64, EventLogError>) -> Void
    ) {
        enum Outcome { case start, wait, refuse(EventLogError) }
        let outcome: Outcome = state.withLock { state in
            if state.isClosed { return .refuse(.closed) }
            let size = state.pendingSize + body.count
            guard size <= options.maximumPending, unread(state) + Int64(size) <= options.maximumSize else {
                state.status.refused += 1
                return .refuse(.full)
            }
            let record = SegmentWriter.Record(body: body, receivedAt: time)
            state.pending.append(Pending(record: record, completion: completion))
            state.pendingSize = size
            if state.isWriting { return .wait }
            state.isWriting = true
            return .start
        }
        switch outcome {
        case .start: WorkThread.run { self.writeAll() }
        case .wait: break
        case .refuse(let error): completion(.failure(error))
        }
    }

    private func writeAll() {
        while let batch = nextBatch() {
            let result = attempt { (writer) throws(EventLogError) in
                try self.open(&writer)
                return try writer.write(batch.map(\.record))
            }
            switch result {
            case .success(let (offsets, begun)):
                committed(batch, begun: begun)
                for (pending, offset) in zip(batch, offsets) { pending.completion(.success(offset)) }
            case .failure(let error):
                state.withLock { $0.status.refused += batch.count }
                for pending in batch { pending.completion(.failure(error)) }
            }
        }
    }

    /// The bodies of the next commit; nil if none wait. Those of the commit before are done.
    private func nextBatch() -> [Pending]? {
        let (batch, flushes) = state.withLock { state -> ([Pending]?, [Flush]) in
            let ended = state.flushes.filter { $0.last <= state.taken }
            if !ended.isEmpty { state.flushes.removeAll { $0.last <= state.taken } }
            guard !state.pending.isEmpty else {
                state.isWriting = false
                return (nil, ended)
            }
            var (count, size) = (0, 0)
            for pending in state.pending {
                guard count == 0 || size + pending.record.body.count <= options.commitSize else { break }
                count += 1
                size += pending.record.body.count
            }
            let batch = Array(state.pending[..<count])
            state.pending.removeFirst(count)
            state.pendingSize -= size
            state.taken += count
            return (batch, ended)
        }
        for flush in flushes { flush.continuation.resume() }
        return batch
    }

    private func committed(_ batch: [Pending], begun: Int64?) {
        let end = writer.withLock { $0.end }
        state.withLock { state in
            if let begun, state.bases.last != begun { state.bases.append(begun) }
            state.status.end = end
            state.status.appended += batch.count
            state.status.commits += 1
        }
        if begun != nil { removeSegments() }
    }

    private func use<Value: Sendable>(
        _ body: @Sendable (inout SegmentWriter) throws(EventLogError) -> Value
    ) -> Result<Value, EventLogError> {
        writer.withLock { writer in
            do throws(EventLogError) { return .success(try body(&writer)) } catch { return .failure(error) }
        }
    }

    /// Uses the writer to append. A problem is logged when it appears and when it is over, and kept for the status.
    private func attempt<Value: Sendable>(
        _ body: @Sendable (inout SegmentWriter) throws(EventLogError) -> Value
    ) -> Result<Value, EventLogError> {
        let result = use(body)
        var (problem, isLockedByAnother): (String?, Bool) = (nil, false)
        if case .failure(let error) = result { problem = error.description }
        if case .failure(.locked) = result { isLockedByAnother = true }
        let earlier = state.withLock { [isLockedByAnother] state in
            state.isLockedByAnother = isLockedByAnother
            defer { state.status.problem = problem }
            return state.status.problem
        }
        if let problem, problem != earlier {
            log(.error, "events: \(problem); events are refused until this is fixed")
        } else if problem == nil, earlier != nil {
            log(.info, "events: the log can be written again")
        }
        return result
    }

    private func open(_ writer: inout SegmentWriter) throws(EventLogError) {
        guard let opening = try writer.open() else { return }
        if opening.removedBytes > 0 {
            log(
                .warning,
                "events: \(opening.removedBytes) bytes after the last complete record were removed; they were not "
                    + "acknowledged, unless the disk is damaged")
        }
        let end = writer.end
        state.withLock { state in
            state.bases = opening.bases
            state.status.end = end
        }
    }

    // MARK: Reading

    package var start: Int64 { state.withLock { $0.bases.first ?? $0.status.end } }

    package var end: Int64 { state.withLock { $0.status.end } }

    package func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage {
        let (bases, end) = state.withLock { ($0.bases, $0.status.end) }
        guard offset < end else { return EventLogPage(next: end) }
        let page = try directory.read(from: offset, to: end, size: size, bases: bases)
        if page.damagedBytes > 0 {
            state.withLock { $0.status.damagedBytes += page.damagedBytes }
            log(.error, "events: \(page.damagedBytes) bytes of the log are damaged and were skipped; check the disk")
        }
        return page
    }

    package var readers: [String: Int64] { readerOffsets.withLock { $0.offsets } }

    package func offset(of reader: String) -> Int64 { readerOffsets.withLock { $0.offsets[reader] ?? 0 } }

    package func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError) {
        try readerOffsets.withLock { (readers) throws(EventLogError) in try readers.set(reader, offset) }
        removeSegments()
    }

    package func forget(reader: String) throws(EventLogError) {
        try readerOffsets.withLock { (readers) throws(EventLogError) in try readers.set(reader, nil) }
        removeSegments()
    }

    /// Takes into account what readers in other processes have read, and deletes what need not be kept. The server
    /// calls this every 5 seconds. May block on the disk.
    ///
    /// - Parameter now: Milliseconds since 1970.
    package func maintain(now: Int64) {
        // A load balancer that reads a problem in `/ready` sends no body that could show that it is over.
        let (hasProblem, isClosed) = state.withLock { ($0.status.problem != nil, $0.isClosed) }
        if !isClosed {
            _ = attempt { (writer) throws(EventLogError) in
                try self.open(&writer)
                try hasProblem ? writer.probe() : writer.checkPlace()
            }
        }
        readerOffsets.withLock { $0.reload() }
        removeSegments()
        beginSegment(before: now - options.segmentTime)
        if let age = options.maximumAge { removeSegments(before: now - age) }
    }

    /// Begins a segment if the last one began before a time, so that it can be deleted by its age.
    private func beginSegment(before time: Int64) {
        writer.withLock { writer in
            // If the disk fails, the next body that is appended reports it.
            guard let begun = try? writer.begin(ifStartedBefore: time) else { return }
            state.withLock { if $0.bases.last != begun { $0.bases.append(begun) } }
        }
    }

    /// Removes the segments whose records were all received before a time, and those that another process removed.
    private func removeSegments(before time: Int64) {
        let bases = state.withLock { $0.bases }
        let expired = directory.expired(before: time, of: bases)
        names.withLock { _ in for base in expired { SystemCall.remove(directory.segment(base)) } }
        let left = Set(directory.bases)
        let lost = state.withLock { state -> Int64 in
            let earlier = unread(state)
            while state.bases.count > 1, !left.contains(state.bases[0]) { state.bases.removeFirst() }
            return earlier - unread(state)
        }
        guard lost > 0 else { return }
        log(.warning, "events: \(lost) bytes of the log were deleted because of their age, before all was read")
    }

    /// Removes the segments that all readers have read and that need not be kept.
    private func removeSegments() {
        guard state.withLock({ $0.bases.count > 1 }) else { return }
        let read = readerOffsets.withLock { readers in
            readers.reload()
            return readers.offsets.values.min() ?? 0
        }
        let removed = state.withLock { state -> [Int64] in
            var removed: [Int64] = []
            while state.bases.count > 1, state.bases[1] <= min(read, state.status.end - options.keptSize) {
                removed.append(state.bases.removeFirst())
            }
            return removed
        }
        names.withLock { _ in for base in removed { SystemCall.remove(directory.segment(base)) } }
    }

    // MARK: Erasing

    /// Removes users from all bodies that are in the log when this is called. Offsets stay valid, and readers skip
    /// the bodies that are empty afterwards. After a failure, a part of the log may be done; the next call does the
    /// rest. Blocks until the whole log is read.
    ///
    /// - Parameter erasure: Removes the users from a body.
    /// - Returns: The number of bodies that have changed.
    /// - Throws: ``EventLogError`` if the disk fails.
    package func erase(_ erasure: EventErasure) throws(EventLogError) -> Int {
        try erasing.withLock { (_) throws(EventLogError) in
            // A log that cannot be opened seems to be empty.
            try use { (writer) throws(EventLogError) in try self.openToErase(&writer) }.get()
            let (bases, end) = state.withLock { ($0.bases, $0.status.end) }
            let rewriting = SegmentRewriting(directory, erasure)
            var changed = 0
            for (index, base) in bases.enumerated() {
                var limit = end
                if index + 1 < bases.count {
                    limit = bases[index + 1]
                } else {
                    // Most users have no events in the last one.
                    guard try rewriting.erased(base, to: end).count > 0 else { continue }
                    limit = try endSegment(base)
                }
                changed += try rewriting.replace(base, by: rewriting.erased(base, to: limit), names)
            }
            return changed
        }
    }

    /// Opens the log unless it is closed. That does not show whether bodies can be appended, so the status keeps
    /// its problem.
    private func openToErase(_ writer: inout SegmentWriter) throws(EventLogError) {
        guard !state.withLock({ $0.isClosed }) else { throw .closed }
        try open(&writer)
    }

    /// Begins a new segment, if a segment is the last one. Returns where the segment ends.
    private func endSegment(_ base: Int64) throws(EventLogError) -> Int64 {
        let result = use { (writer) throws(EventLogError) in
            try self.openToErase(&writer)
            guard writer.base == base, let begun = try writer.beginNext() else { return }
            self.state.withLock { if $0.bases.last != begun { $0.bases.append(begun) } }
        }
        try result.get()
        guard let next = directory.bases.first(where: { $0 > base }) else { throw .closed }
        return next
    }

    // MARK: Status and end

    /// The size, limits and problems.
    package var status: EventLogStatus {
        state.withLock { state in
            var status = state.status
            status.size = status.end - (state.bases.first ?? status.end)
            status.unreadSize = unread(state)
            status.slowestReader = readers.min { $0.value < $1.value }?.key
            return status
        }
    }

    /// What is not read from an offset on: the bytes, and when the first of them was received, in milliseconds since
    /// 1970; nil if nothing is unread, or the place is damaged. Reads a file.
    package func unread(from offset: Int64) -> (bytes: Int64, since: Int64?) {
        let (bases, end) = state.withLock { ($0.bases, $0.status.end) }
        let next = max(offset, bases.first ?? end)
        guard next < end, let base = bases.last(where: { $0 <= next }) else { return (0, nil) }
        return (end - next, directory.receiptTime(at: next, in: base))
    }

    private func unread(_ state: borrowing State) -> Int64 {
        let read = readerOffsets.withLock { $0.offsets.values.min() } ?? 0
        // Readers of a log whose end was lost are ahead of it.
        return max(0, state.status.end - max(read, state.bases.first ?? 0))
    }

    /// Waits until everything appended so far is in the log, or has failed.
    package func flush() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                let last = state.taken + state.pending.count
                if state.isWriting { state.flushes.append(Flush(last: last, continuation: continuation)) }
                return !state.isWriting
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Refuses further bodies, and waits for those that were appended.
    package func close() async {
        state.withLock { $0.isClosed = true }
        await flush()
        writer.withLock { $0.close() }
    }
}
