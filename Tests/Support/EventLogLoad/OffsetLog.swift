import TurnoutClient
import TurnoutServer

/// A log whose offsets start at a number, so that a new one continues an earlier one.
struct OffsetLog: EventLog {
    private let log: MemoryEventLog
    private let first: Int64

    init(_ log: MemoryEventLog, _ first: Int64) { (self.log, self.first) = (log, first) }

    func append(
        _ body: [UInt8], receivedAt time: Int64,
        completion: @escaping @Sendable (Result<Int64, EventLogError>) -> Void
    ) { log.append(body, receivedAt: time, completion: completion) }

    func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage {
        var page = try log.read(from: offset - first, size: size)
        page.next += first
        return page
    }

    var readers: [String: Int64] { [:] }
    func offset(of reader: String) -> Int64 { 0 }
    func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError) {}
    func forget(reader: String) throws(EventLogError) {}
    func erase(_ erasure: EventErasure) throws(EventLogError) -> Int { log.erase(erasure) }

    var status: EventLogStatus {
        var status = log.status
        status.end += first
        return status
    }

    func flush() async {}
    func close() async {}
}
