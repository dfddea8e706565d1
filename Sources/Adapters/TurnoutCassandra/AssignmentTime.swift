import LibC
import TurnoutClient

/// The times by which Cassandra orders writes.
enum AssignmentTime {
    /// The current time in microseconds since 1970, later than every earlier one in this process: of two writes,
    /// the later one wins, even if the system's clock was set back in between.
    static func next() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        return last.withLock { last in
            last = max(last + 1, now)
            return last
        }
    }
}
