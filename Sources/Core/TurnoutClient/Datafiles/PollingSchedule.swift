/// When to ask for a newer datafile: at intervals, a little more or less by chance, and less often after failures.
///
/// Chance keeps the clients of a fleet from asking all at once. Knows neither time nor network.
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
    ///   - interval: The time between two requests, as wanted.
    ///   - floor: The shortest time between two requests; chance does not go below it either.
    ///   - random: Where chance comes from.
    package init(interval: Duration, floor: Duration, random: any RandomSource) {
        self.interval = max(interval, floor)
        self.floor = floor
        self.random = random
    }

    /// Counts a request that worked.
    package mutating func succeeded() {
        failures = 0
        wanted = nil
    }

    /// Counts a request that failed, and what the server said about when to come back.
    package mutating func failed(retryAfter: Duration?) {
        failures += 1
        wanted = retryAfter
    }

    /// The time until the next request: the interval, twice as long after the second failure in a row and each further
    /// one, up to an hour; within a tenth of that, and never earlier than the server wants.
    package func delay() -> Duration {
        // Beyond that an hour is exceeded even from a second on, and the factor would overflow.
        let factor = 1 << min(max(failures - 1, 0), 12)
        // A year is more than anybody waits, and still can be multiplied.
        let calm = min(interval, .seconds(366 * 86_400))
        let chance = 0.9 + 0.2 * (Double(random.next() >> 11) * 0x1p-53)
        return max(min(calm * factor, max(calm, Self.longest)) * chance, floor, wanted ?? .zero)
    }
}
