import TurnoutClient

/// Reads the bodies of received events. Each reader has an offset of its own: one that fails or is slow delays no other
/// reader and no client.
///
/// A reader, such as ``EventProcessing``, ``EventForwarding`` or ``EventFileExport``, reads one page after the other,
/// and acknowledges a page once its records are stored or sent. Calls of several readers overlap with each other and
/// with appending. The server reads on threads for blocking calls. If reading or acknowledging fails, the reader keeps
/// its offset, reports the error and tries again after a pause. Offsets need not be as durable as records: after a
/// failure or the end of the process, a reader may get records again.
package protocol EventLogReading: Sendable {
    /// The offset of the oldest record; in an empty log, that of the first one to come.
    var start: Int64 { get }
    /// The offset after the last record.
    var end: Int64 { get }
    /// Reads records that are in the log. May block on the disk.
    ///
    /// - Parameters:
    ///   - offset: Where to start: 0, or ``EventLogPage/next`` of an earlier page. If the record was already deleted,
    ///     reading starts at the oldest one.
    ///   - size: The approximate size of the page in bytes.
    /// - Returns: Records, at least one if there is one.
    /// - Throws: ``EventLogError`` if the disk fails.
    func read(from offset: Int64, size: Int) throws(EventLogError) -> EventLogPage
    /// The offsets of all readers, by name.
    var readers: [String: Int64] { get }
    /// The offset up to which a reader has read; 0 for an unknown one.
    func offset(of reader: String) -> Int64
    /// Records the offset up to which a reader has read. Records that all known readers have read may be deleted.
    /// May write a file: it is called on threads for blocking calls and for processing.
    ///
    /// - Throws: ``EventLogError`` if the offset could not be recorded.
    func acknowledge(_ offset: Int64, by reader: String) throws(EventLogError)
    /// Forgets a reader, which holds back no records any more. The server calls it when it starts, and a command in
    /// another process at any time.
    ///
    /// - Throws: ``EventLogError`` if the reader is still known.
    func forget(reader: String) throws(EventLogError)
}

/// A body in a log.
package struct EventLogRecord: Sendable, Equatable {
    package let offset: Int64
    /// When the body was received, in milliseconds since 1970.
    package let receivedAt: Int64
    /// The body as it was received, after inflation.
    package let body: [UInt8]

    package init(offset: Int64, receivedAt: Int64, body: [UInt8]) {
        self.offset = offset
        self.receivedAt = receivedAt
        self.body = body
    }
}

/// Consecutive records of a log.
package struct EventLogPage: Sendable, Equatable {
    /// The records in their order; empty at the end of the log.
    package var records: [EventLogRecord] = []
    /// Where the next page starts.
    package var next: Int64
    /// The number of bytes that were skipped because they are damaged.
    package var damagedBytes = 0

    package init(next: Int64) { self.next = next }
}

/// The state of a log.
package struct EventLogStatus: Sendable, Equatable {
    /// The bytes in the log, including those that all readers have read but that are still kept.
    package var size: Int64 = 0
    /// The maximum number of bytes that readers have not read.
    package var maximumSize: Int64 = 0
    /// The bytes that the slowest reader has not read.
    package var unreadSize: Int64 = 0
    /// The name of the slowest reader; nil if there is none.
    package var slowestReader: String?
    /// The offset after the last record.
    package var end: Int64 = 0
    /// The bodies in the log since the start.
    package var appended = 0
    /// The bodies that were refused because there was no room, or the disk failed, since the start.
    package var refused = 0
    /// The bytes that were skipped because they are damaged, since the start.
    package var damagedBytes = 0
    /// The number of commits since the start.
    package var commits = 0
    /// Why bodies cannot be appended now; nil if they can.
    package var problem: String?

    /// Creates the status of an empty log.
    package init() {}

    /// Whether more than four fifths of the room is used.
    package var isNearlyFull: Bool { unreadSize > maximumSize / 5 * 4 }
}

/// Why a body is not in the log, or the log cannot be read.
package enum EventLogError: Error, Sendable, Equatable, PrintableError {
    /// Readers have not read as many bytes as may wait, or too many bodies wait for the disk.
    case full
    case closed
    /// Another process writes to the folder.
    case locked(String)
    /// The disk or the file failed.
    case disk(String)

    /// A description of the failure. Contains no personal data.
    package var description: String {
        switch self {
        case .full: "the log of events is full"
        case .closed: "the log of events is closed"
        case .locked(let folder): "\(folder) is in use by another process; end it, or use another folder"
        case .disk(let problem): problem
        }
    }
}
