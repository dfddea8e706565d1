import TurnoutClient

// The mutable state that all stores of a process share. The driver is loaded once, and has one log.

extension Driver {
    /// The loaded drivers by path. Never unloaded: their threads run until the process ends.
    static let loaded = Locked<[String: Driver]>([:])

    /// Receives the driver's messages: the log of the store that was created last.
    static let log = Locked<(any Log)?>(nil)
}

extension AssignmentTime {
    /// The time of the last assignment in this process, in microseconds. Shared, because several stores may write
    /// to one table.
    static let last = Locked<Int64>(0)
}
