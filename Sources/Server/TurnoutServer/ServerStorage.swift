package import TurnoutClient

/// The files in a server's folder.
package struct ServerStorage: Sendable {
    package let directory: String
    /// The log of received events.
    package let log: SegmentLog
    /// The processed events.
    package let events: EventDatabase
    /// The lists of users by segment, and the users' devices.
    package let segments: SegmentDatabase

    /// Opens the log. The databases are opened when they are first used.
    ///
    /// - Parameters:
    ///   - directory: The folder, created if necessary.
    ///   - configuration: The limits. Default: the standard ones.
    ///   - engine: Keeps the events of all servers. Default: nil, each server keeps its own.
    ///   - isTemporary: Whether the folder is deleted when the server ends. Then nothing waits for the disk, and the
    ///     log keeps only what is not read. Default: false.
    ///   - messages: Receives failures.
    package init(
        directory: String, _ configuration: ServerConfiguration = ServerConfiguration(),
        engine: (any EventEngine)? = nil, isTemporary: Bool = false, messages: any Log
    ) {
        var options = EventLogOptions()
        if isTemporary { (options.survives, options.keptSize) = (.processDeath, 0) }
        options.maximumSize = Int64(configuration.events.maximumLogSize)
        options.maximumAge = Int64(configuration.events.retentionDays) * 86_400_000
        self.directory = directory
        log = SegmentLog(directory: directory + "/log", options, log: messages)
        events = EventDatabase(
            directory: directory, survives: options.survives, engine: engine, log: messages)
        segments = SegmentDatabase(
            directory: directory, configuration.segments.limits, survives: options.survives, log: messages)
    }

    /// Waits for calls in progress, and cancels further ones: none creates the folder again.
    func close() async {
        await log.close()
        await BlockingCall.value { [events, segments] in
            events.close()
            segments.close()
        }
    }
}
