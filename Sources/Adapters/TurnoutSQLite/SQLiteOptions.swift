public import TurnoutClient

/// The limits of a storage, and how soon additions are in the file.
public struct SQLiteOptions: Sendable {
    /// When an addition is in the file.
    public enum Durability: Sendable, Equatable {
        /// After the call returns, in one transaction with everything else added in the meantime. Calls never wait
        /// for the file, even while another process has locked it. Additions that are not in the file yet are lost
        /// if the process ends abruptly. Zero and negative durations count as one millisecond.
        ///
        /// Writing begins after this time. A thread that tracks about 100,000 events per second is faster than the
        /// file: after `kill -9`, events up to 235 milliseconds old were missing. ``beforeReturning`` has no such
        /// gap.
        case soon(within: Duration)
        /// Before the call returns. Concurrent calls share one commit. Additions that cannot be written stay in
        /// memory and are written later; then `track` throws, decisions still succeed, and the failure is logged.
        case beforeReturning
    }

    /// The failures that an event in the file survives.
    public enum Survival: Sendable {
        /// The end of the process, including a crash, but not of the machine.
        case processDeath
        /// A power failure, too, if the disk honors flush requests. Each commit waits for the disk.
        case powerLoss
    }

    /// When events and assignments are in the file. Default: within 10 milliseconds, longer if threads add faster
    /// than the file accepts; see ``Durability-swift.enum/soon(within:)``.
    public var durability = Durability.soon(within: .milliseconds(10))
    /// The failures that events and assignments in the file survive. Default: the end of the process, not a power
    /// failure. Additions that are not in the file yet survive neither: see ``durability-swift.property``.
    public var survives = Survival.processDeath
    /// The most events in a queue. Default: 10,000. With ``Durability/soon(within:)`` processes that share a
    /// directory may exceed it by the events added within that time.
    public var maximumEvents = 10_000
    /// The most bytes of a queue's events, without the data that they share. Default: 50 MB.
    public var maximumBytes = 50_000_000
    /// The approximate memory limit for events that are not in the file yet; assignments may take a quarter of it
    /// in addition. Beyond it ``overflow`` applies to events, and further assignments are lost; both are counted.
    /// It is reached when the file cannot be written, or when threads add faster than it accepts. Default: 64 MB.
    public var maximumBufferedBytes = 64_000_000
    /// Which event is dropped when a queue or the memory is full. Default: the new event.
    public var overflow = EventOverflow.refuseNewest
    /// The most rejected or damaged events to keep; the oldest are deleted first. Default: 100.
    public var maximumRejected = 100
    /// The most users with stored assignments; the least recently used are deleted first. Default: 100,000.
    public var maximumUsers = 100_000
    /// How long the writing thread waits for another process that writes. With ``Durability/soon(within:)`` that is
    /// never a thread that makes decisions. Default: 5 seconds.
    public var busyTimeout: Duration = .seconds(5)

    /// The standard options; change what you need.
    public init() {}

    var bufferLimitText: String {
        let megabytes = maximumBufferedBytes / 1_000_000
        return megabytes > 0 ? "\(megabytes) MB" : "\(maximumBufferedBytes) bytes"
    }

    /// The options with every limit raised to its minimum.
    var checked: SQLiteOptions {
        var options = self
        options.maximumEvents = max(1, maximumEvents)
        options.maximumBytes = max(1, maximumBytes)
        options.maximumRejected = max(0, maximumRejected)
        options.maximumUsers = max(1, maximumUsers)
        options.maximumBufferedBytes = max(1, maximumBufferedBytes)
        options.busyTimeout = max(.zero, busyTimeout)
        return options
    }
}
