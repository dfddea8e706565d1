import TurnoutClient

/// Limits the rate of requests per key: each key has a bucket of tokens that fills at a constant rate.
///
/// The table is bounded: beyond its capacity the key that was not used for the longest time starts again with a full
/// bucket.
package final class RateLimiter: Sendable {
    private struct Bucket: Sendable {
        var tokens: Double
        var updated: Duration
    }

    private let rate: Double
    private let burst: Double
    private let now: @Sendable () -> Duration
    private let buckets: Sharded<LRUCache<String, Bucket>>

    /// Creates a limiter.
    ///
    /// - Parameters:
    ///   - rate: The requests per second and key.
    ///   - burst: The requests that may come at once.
    ///   - keys: The approximate number of keys to remember. Default: 10,000.
    ///   - clock: Measures time. Default: the system's clock.
    package init(rate: Double, burst: Int, keys: Int = 10_000, clock: any Clock<Duration> = .continuous) {
        self.rate = rate
        self.burst = Double(burst)
        now = clock.stopwatch()
        buckets = Sharded(capacity: keys) { LRUCache(capacity: $0, lifetime: nil) }
    }

    /// Gives a token back that was taken.
    package func giveBack(to key: String) {
        buckets.withLock(of: UInt64(truncatingIfNeeded: key.hashValue)) { buckets in
            guard var bucket = buckets.value(for: key, at: now()) else { return }
            bucket.tokens = min(burst, bucket.tokens + 1)
            buckets.save(bucket, for: key, at: now())
        }
    }

    /// Takes a token.
    ///
    /// - Returns: Nil, or the time until there is one.
    /// - Complexity: O(1).
    package func take(for key: String) -> Duration? {
        let now = now()
        return buckets.withLock(of: UInt64(truncatingIfNeeded: key.hashValue)) { buckets in
            var bucket = buckets.value(for: key, at: now) ?? Bucket(tokens: burst, updated: now)
            bucket.tokens = min(burst, bucket.tokens + rate * ((now - bucket.updated) / .seconds(1)))
            bucket.updated = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            buckets.save(bucket, for: key, at: now)
            return isAllowed ? nil : .seconds((1 - bucket.tokens) / rate)
        }
    }
}
