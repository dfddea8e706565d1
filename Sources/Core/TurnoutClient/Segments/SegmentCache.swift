/// Which segments users belong to, as far as somebody asked.
package final class SegmentCache: Sendable {
    private struct State {
        var cache: LRUCache<String, [String]>
        /// Counts how often everything was forgotten; an answer to an earlier question is not kept.
        var generation = 0
    }

    private let state: Locked<State>
    private let uptime: @Sendable () -> Duration

    /// Creates an empty cache.
    package init(options: SegmentOptions, uptime: @escaping @Sendable () -> Duration) {
        state = Locked(State(cache: LRUCache(capacity: options.cachedUsers, lifetime: options.lifetime)))
        self.uptime = uptime
    }

    /// Answers from the cache, or by asking; successful answers are kept, empty ones included.
    package func segments<Failure: Error>(
        of key: String, options: FetchSegmentsOptions, asking: () async throws(Failure) -> [String]
    ) async throws(Failure) -> [String] {
        if options.contains(.resetCache) { reset() }
        guard !options.contains(.ignoreCache) else { return try await asking() }
        let now = uptime()
        let (known, generation) = state.withLock { ($0.cache.value(for: key, at: now), $0.generation) }
        if let known { return known }
        let segments = try await asking()
        let savedAt = uptime()
        state.withLock { state in
            if state.generation == generation { state.cache.save(segments, for: key, at: savedAt) }
        }
        return segments
    }

    /// Forgets everything.
    package func reset() {
        state.withLock { state in
            state.cache.removeAll()
            state.generation += 1
        }
    }
}

/// How segments are kept.
public struct SegmentOptions: Sendable {
    /// How many users' segments are kept; 0: none. Default: 100.
    public var cachedUsers = 100
    /// How long an answer is good; nil: for ever. Default: 10 minutes.
    public var lifetime: Duration? = .seconds(600)

    /// Creates the standard options; change what you need.
    public init() {}
}

/// How to fetch the segments of a user.
public struct FetchSegmentsOptions: OptionSet, Sendable {
    /// One bit for each option.
    public let rawValue: UInt8

    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ask without looking into the cache, and do not keep the answer.
    public static let ignoreCache = FetchSegmentsOptions(rawValue: 1 << 0)
    /// Forget the segments of all users first.
    public static let resetCache = FetchSegmentsOptions(rawValue: 1 << 1)
}
