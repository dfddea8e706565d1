package import TurnoutClient

/// Counts requests by route and status, and measures how long they take.
///
/// Threads add to counts of their own; reading adds these up.
package final class RequestMetrics: Sendable {
    private struct Counts: Sendable {
        /// The number of requests by route and status: ``RequestMetrics/key(_:_:)``.
        var requests: [Int: Int] = [:]
        /// For each route the number of requests in each bucket.
        var buckets: [Int] = []
        /// The time of all requests of a route.
        var nanoseconds: [Int] = []

        mutating func add(_ place: Int, _ bucket: Int, _ time: Int) {
            makeRoom(for: place + 1)
            buckets[place * RequestMetrics.bucketCount + bucket] += 1
            nanoseconds[place] += time
        }

        mutating func add(_ other: Counts) {
            requests.merge(other.requests, uniquingKeysWith: +)
            makeRoom(for: other.nanoseconds.count)
            for place in other.buckets.indices { buckets[place] += other.buckets[place] }
            for place in other.nanoseconds.indices { nanoseconds[place] += other.nanoseconds[place] }
        }

        private mutating func makeRoom(for places: Int) {
            let missing = places - nanoseconds.count
            guard missing > 0 else { return }
            nanoseconds += repeatElement(0, count: missing)
            buckets += repeatElement(0, count: missing * RequestMetrics.bucketCount)
        }
    }

    /// The upper limits of the buckets in seconds. A decision takes about 20 µs, a request to a disk or network up to a
    /// second.
    private static let limits = [
        0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]
    private static let limitsInNanoseconds = limits.map { Int($0 * 1e9) }
    /// One more for times above all limits.
    private static let bucketCount = limits.count + 1

    private let names = Locked<[(method: String, pattern: String)]>([])
    private let counts = Sharded<Counts>(capacity: 1) { _ in Counts() }

    package init() {}

    /// Sets the routes that the numbers of requests refer to.
    package func name(_ routes: [Route]) { names.withLock { $0 = routes.map { ($0.method, $0.pattern) } } }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - route: The number of the route; nil for an unknown path or method.
    ///   - status: The status of the response; 0 if the connection was closed instead.
    ///   - time: The time until the response was complete, or its stream began.
    /// - Complexity: O(1).
    package func add(_ route: Int?, status: Int, time: Duration) {
        // Place 0 is for requests without a route.
        let place = route.map { $0 + 1 } ?? 0
        let (seconds, attoseconds) = time.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        let bucket = Self.limitsInNanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.limits.count
        counts.withLock(of: CallingThread.fingerprint) { counts in
            counts.requests[Self.key(place, status), default: 0] += 1
            counts.add(place, bucket, nanoseconds)
        }
    }

    private static func key(_ place: Int, _ status: Int) -> Int { place << 16 | status }

    // MARK: Reading

    private var total: Counts {
        counts.shards.reduce(into: Counts()) { total, shard in total.add(shard.state.withLock { $0 }) }
    }

    /// The number of requests since the start.
    package var requestCount: Int { total.requests.values.reduce(0, +) }

    /// The number of requests by method, route and status.
    package var snapshot: MetricsSnapshot {
        let values = total.requests.sorted { $0.key < $1.key }.map { key, count in
            let (method, pattern) = name(of: key >> 16)
            let status = key & 0xFFFF
            return MetricsSnapshot.Value(
                count, .init("method", method), .init("route", pattern),
                .init("status", status == 0 ? "closed" : "\(status)"))
        }
        var snapshot = MetricsSnapshot()
        snapshot.add(.counter, "turnout_http_requests_total", "Requests by method, route and status.", values)
        return snapshot
    }

    /// The times of requests as a histogram in Prometheus's text format, in seconds.
    package var histogram: String {
        let (total, name) = (total, "turnout_http_request_duration_seconds")
        var text = "# HELP \(name) The time until a response was complete, or its stream began.\n"
        text += "# TYPE \(name) histogram\n"
        for place in total.nanoseconds.indices {
            let buckets = total.buckets[place * Self.bucketCount..<(place + 1) * Self.bucketCount]
            guard buckets.contains(where: { $0 > 0 }) else { continue }
            let (method, pattern) = self.name(of: place)
            let labels = "method=\"\(method)\",route=\"\(pattern)\""
            var count = 0
            for (limit, number) in zip(Self.limits.map { "\($0)" } + ["+Inf"], buckets) {
                count += number
                text += "\(name)_bucket{\(labels),le=\"\(limit)\"} \(count)\n"
            }
            text += "\(name)_sum{\(labels)} \(Double(total.nanoseconds[place]) / 1e9)\n"
            text += "\(name)_count{\(labels)} \(count)\n"
        }
        return text
    }

    /// The method and the pattern of a route. The path of a request is never a label: it may contain keys, and there is
    /// no limit to their number.
    private func name(of place: Int) -> (method: String, pattern: String) {
        names.withLock { $0.indices.contains(place - 1) ? $0[place - 1] : ("other", "unknown") }
    }
}
