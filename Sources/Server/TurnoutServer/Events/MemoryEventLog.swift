import TurnoutClient

/// A log in memory, which is lost when the process ends: for servers without a folder, and for tests.
package final class MemoryEventLog: EventLog {
    private struct State {
        var records: [EventLogRecord] = []
        var start: Int64 = 0
        var readers: [String: Int64] = [:]
        var status = EventLogStatus()
        var isClosed = false
    }

    private let state: Locked<State>

    /// Creates an empty log.
    ///
    /// - Parameter maximumSize: The maximum number of bytes that readers have not read. Default: 64 MiB.
    package init(maximumSize: Int64 = 64 << 20) {
        var first = State()
        first.status.maximumSize = maximumSize
        state = Locked(first)
    }

    package func append(
        _ body: [UInt8], receivedAt time: Int64,
        completion: @escaping @Sendable (Result<Int64, EventLogError>) -> Void
    ) {
        let result: Result<Int64, EventLogError> = state.withLock { state in
            guard !state.isClosed else { return .failure(.closed) }
            let offset = state.status.end
            guard offset - state.start + Int64(body.count) <= state.status.maximumSize else {
                state.status.refused += 1
                return .failure(.full)
            }
            state.records.append(EventLogRecord(offset: offset, receivedAt: time, body: body))
            state.status.end += Int64(body.count) + 1
            state.status.appended += 1
            return .success(offset)
        }
        completion(result)
    }

    package func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage {
        state.withLock { state in
            var page = EventLogPage(next: max(offset, state.start))
            var first = state.records.partition(after: offset)
            var count = 0
            while first < state.records.count, count == 0 || count + state.records[first].body.count <= size {
                let record = state.records[first]
                page.records.append(record)
                page.next = record.offset + Int64(record.body.count) + 1
                count += record.body.count
                first += 1
            }
            // An erasure may have emptied records behind the last one.
            if first == state.records.count { page.next = max(page.next, state.status.end) }
            return page
        }
    }

    package var readers: [String: Int64] { state.withLock { $0.readers } }

    package func offset(of reader: String) -> Int64 { state.withLock { $0.readers[reader] ?? 0 } }

    package func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError) {
        state.withLock { state in
            state.readers[reader] = offset
            Self.trim(&state)
        }
    }

    package func forget(reader: String) throws(EventLogError) {
        state.withLock { state in
            state.readers[reader] = nil
            Self.trim(&state)
        }
    }

    package func erase(_ erasure: EventErasure) -> Int {
        state.withLock { state in
            let erased = state.records.map { $0.erased(by: erasure) }
            let changed = zip(state.records, erased).count { $0 != $1 }
            state.records = erased.compactMap(\.self)
            return changed
        }
    }

    package var status: EventLogStatus {
        state.withLock { state in
            var status = state.status
            status.size = status.end - state.start
            status.unreadSize = status.size
            status.slowestReader = state.readers.min { $0.value < $1.value }?.key
            return status
        }
    }

    package func flush() async {}

    package func close() async { state.withLock { $0.isClosed = true } }

    private static func trim(_ state: inout State) {
        guard let read = state.readers.values.min() else { return }
        state.records.removeFirst(state.records.partition(after: read))
        state.start = state.records.first?.offset ?? state.status.end
    }
}

extension [EventLogRecord] {
    /// The index of the first record at or after an offset.
    fileprivate func partition(after offset: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
