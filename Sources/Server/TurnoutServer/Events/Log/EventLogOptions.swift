/// The limits of a log in files, and what its records survive.
package struct EventLogOptions: Sendable {
    /// The failures that what is in the files of a server survives.
    package enum Survival: Sendable {
        /// The end of the process, but not of the machine.
        case processDeath
        /// A power failure, too, if the disk honors flush requests.
        case powerLoss

        /// The setting of SQLite for it.
        var pragma: String { self == .powerLoss ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = OFF" }
    }

    /// The failures that an acknowledged body survives. Default: a power failure.
    package var survives = Survival.powerLoss
    /// The maximum number of bytes that readers have not read. Beyond it bodies are refused. Default: 10 GiB.
    package var maximumSize: Int64 = 10 << 30
    /// The bytes to keep although all readers have read them: the processed events are rebuilt from them if their
    /// database is damaged. Default: 1 GiB.
    package var keptSize: Int64 = 1 << 30
    /// The size after which a new segment begins. Default: 64 MiB.
    package var segmentSize: Int64 = 64 << 20
    /// The time after which a new segment begins, in milliseconds, even if nothing is appended. Default: a day.
    package var segmentTime: Int64 = 86_400_000
    /// The time after which segments are deleted, in milliseconds, even if they have not been read: nothing older
    /// than this and ``segmentTime`` stays. Default: nil, age does not matter.
    package var maximumAge: Int64?
    /// The maximum number of bytes that wait for the disk. Beyond it bodies are refused. Default: 64 MiB.
    package var maximumPending = 64 << 20
    /// The maximum number of bytes in one commit. Default: 4 MiB.
    package var commitSize = 4 << 20

    package init() {}
}
