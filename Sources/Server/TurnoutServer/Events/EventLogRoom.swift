import TurnoutClient

/// Watches the room in the log of events: forgets readers that are not used any more, and says when the log is full.
final class EventLogRoom: Sendable {
    private let log: SegmentLog
    private let configured: [EventReader]
    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let messages: any Log
    private let reported = Locked<String?>(nil)

    /// Creates the watch.
    ///
    /// - Parameters:
    ///   - log: The log.
    ///   - configured: The readers that settings ask for.
    ///   - clock: Measures pauses.
    ///   - wallClock: Provides the time by which the log deletes.
    ///   - messages: Receives what was forgotten, and that the log is full.
    init(
        _ log: SegmentLog, configured: [EventReader], clock: any Clock<Duration>, wallClock: any WallClock,
        messages: any Log
    ) {
        self.log = log
        self.configured = configured
        self.clock = clock
        self.wallClock = wallClock
        self.messages = messages
    }

    /// Why events cannot be received now; nil if there is room for a request of any size.
    var problem: String? {
        let status = log.status
        // A request that is larger than the room is refused before the log is full to the last byte.
        let needed = min(Int64(BodyLimit.events.size), status.maximumSize / 10)
        guard status.maximumSize - status.unreadSize < needed else { return nil }
        guard let reader = status.slowestReader.map(EventReader.init) else { return "\(EventLogError.full)" }
        return "\(EventLogError.full); its slowest reader is \(reader.description): \(reader.advice)"
    }

    /// Forgets the readers of other addresses than the configured ones. They would hold back the log until it is full.
    func forgetUnusedReaders() {
        for reader in log.readers.keys.map(EventReader.init) where !configured.contains(reader) {
            guard reader.belongsToServer else { continue }
            do throws(EventLogError) {
                try log.forget(reader: reader.name)
                messages(
                    .warning, "events: \(reader.description) has ended, because no setting names its address any more")
            } catch {
                messages.failure(.error, "events: \(reader.description) cannot be ended", error)
            }
        }
    }

    /// Maintains the log every 5 seconds until the task is canceled, and says once that it is full.
    func run() async {
        while !Task.isCancelled {
            await BlockingCall.value { [log, wallClock] in log.maintain(now: wallClock.millisecondsSince1970()) }
            report(problem)
            try? await clock.sleep(for: .seconds(5), tolerance: nil)
        }
    }

    private func report(_ problem: String?) {
        let earlier = reported.withLock { reported in
            defer { reported = problem }
            return reported
        }
        if let problem, earlier == nil {
            messages(.error, "events: \(problem)")
        } else if problem == nil, earlier != nil {
            messages(.info, "events: the log has room again")
        }
    }
}
