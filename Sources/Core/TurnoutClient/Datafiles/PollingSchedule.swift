/// When to request a newer datafile: at intervals with random jitter, and less often after failures.
///
/// Jitter keeps the clients of a fleet from polling at once. A value without a clock or a network.
package struct PollingSchedule: Sendable {
    private let interval: Duration
    private let floor: Duration
    private let random: any RandomSource
    private var failures = 0
    private var wanted: Duration?

    /// The longest time between two requests after failures, unless the interval is longer.
    private static let longest = Duration.seconds(3_600)

    /// Creates a schedule.
    ///
    /// - Parameters:
    ///   - interval: The time between two requests.
    ///   - floor: The minimum time between two requests, including jitter.
    ///   - random: The source of jitter.
    package init(interval: Duration, floor: Duration, random: any RandomSource) {
        self.interval = max(interval, floor)
        self.floor = floor
        self.random = random
    }

    /// Records a successful request.
    package mutating func succeeded() {
        failures = 0
        wanted = nil
    }

    /// Records a failed request and the server's `Retry-After`.
    package mutating func failed(retryAfter: Duration?) {
        failures += 1
        wanted = retryAfter
    }

    /// The time until the next request: the interval, doubled for the second consecutive failure and each further one,
    /// up to an hour; within a tenth of that, and never earlier than `Retry-After`.
    package func delay() -> Duration {
        // Higher powers exceed an hour even from one second, and the factor would overflow.
        let factor = 1 << min(max(failures - 1, 0), 12)
        // A year is longer than any sensible interval, and can still be multiplied without overflow.
        let calm = min(interval, .seconds(366 * 86_400))
        let chance = 0.9 + 0.2 * (Double(random.next() >> 11) * 0x1p-53)
        return max(min(calm * factor, max(calm, Self.longest)) * chance, floor, wanted ?? .zero)
    }
}
