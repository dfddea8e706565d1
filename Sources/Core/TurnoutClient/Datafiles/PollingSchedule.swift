/// When to request a newer datafile: at intervals with random jitter, and less often after failures.
///
/// Jitter keeps the clients of a fleet from polling at once. A value without a clock or a network.
package struct PollingSchedule: Sendable {
    package let interval: Duration
    private let floor: Duration
    private let random: any RandomSource
    private var failures = 0
    private var wanted: Duration?

    private var longest = Self.longestWithDatafile

    /// The longest time between two requests after failures, unless the interval is longer.
    private static let longestWithDatafile = Duration.seconds(3_600)
    /// The same while there is no datafile, so that every flag is off.
    private static let longestWithoutDatafile = Duration.seconds(300)

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - interval: The time between two requests.
    ///   - floor: The minimum time between two requests, including jitter. A shorter interval is raised to it.
    ///   - random: The source of jitter.
    ///   - log: Receives a warning if the interval is raised. Default: discards it.
    package init(interval: Duration, floor: Duration, random: any RandomSource, log: any Log = .silent) {
        if interval < floor {
            log(
                .warning, "polling interval \(interval.logText) is below the minimum; using \(floor.logText)")
        }
        self.interval = max(interval, floor)
        self.floor = floor
        self.random = random
    }

    package mutating func succeeded() {
        failures = 0
        wanted = nil
    }

    /// Records a failed request.
    ///
    /// - Parameters:
    ///   - retryAfter: The server's `Retry-After`, or nil.
    ///   - hasDatafile: Whether there is an earlier datafile to decide with. Default: true.
    package mutating func failed(retryAfter: Duration?, hasDatafile: Bool = true) {
        failures += 1
        wanted = retryAfter
        longest = hasDatafile ? Self.longestWithDatafile : Self.longestWithoutDatafile
    }

    /// The time until the next request: the interval, doubled for the second consecutive failure and each further one,
    /// up to an hour, or five minutes without a datafile; within a tenth of that, and never earlier than `Retry-After`.
    package func delay() -> Duration {
        // Higher powers exceed an hour even from one second, and the factor would overflow.
        let factor = 1 << min(max(failures - 1, 0), 12)
        // A year is longer than any sensible interval, and can still be multiplied without overflow.
        let boundedInterval = min(interval, .seconds(366 * 86_400))
        let chance = 0.9 + 0.2 * (Double(random.next() >> 11) * 0x1p-53)
        return max(min(boundedInterval * factor, max(boundedInterval, longest)) * chance, floor, wanted ?? .zero)
    }
}
