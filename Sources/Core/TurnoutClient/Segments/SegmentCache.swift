/// A cache of users' segments, with single flight.
///
/// Concurrent requests for the same user share one lookup, which is canceled when no caller waits for it any longer.
package final class SegmentCache<Failure: Error>: Sendable {
    /// Looks up a user's segments.
    package typealias Lookup = @Sendable () async throws(Failure) -> [String]

    private let cache: Locked<LRUCache<ByteKey, [String]>>
    private let lookups = SingleFlight<ByteKey, Result<[String], Failure>>()
    private let uptime: @Sendable () -> Duration

    package init(options: SegmentOptions, uptime: @escaping @Sendable () -> Duration) {
        cache = Locked(LRUCache(capacity: options.cachedUsers, lifetime: options.lifetime))
        self.uptime = uptime
    }

    /// Returns cached segments, or looks them up; successful results are cached, including empty ones.
    ///
    /// `asking` must read everything the result depends on when it is called. If those inputs change and ``reset()``
    /// follows, a result for the old inputs is not cached.
    package func segments(
        of key: String, options: FetchSegmentsOptions, asking: @escaping Lookup
    ) async throws(Failure) -> [String] {
        if options.contains(.resetCache) { reset() }
        guard !options.contains(.ignoreCache) else { return try await asking() }
        let key = ByteKey(key)
        if let known = cached(key) { return known }
        return try await lookups.value(for: key) {
            // An earlier lookup may have ended since.
            if let known = self.cached(key) { return .success(known) }
            do throws(Failure) { return .success(try await asking()) } catch { return .failure(error) }
        } finish: { result in
            guard case .success(let segments) = result else { return }
            let now = self.uptime()
            self.cache.withLock { $0.save(segments, for: key, at: now) }
        }.get()
    }

    /// Removes all entries. The results of lookups in progress are not cached.
    package func reset() { lookups.reset { cache.withLock { $0.removeAll() } } }

    private func cached(_ key: ByteKey) -> [String]? {
        let now = uptime()
        return cache.withLock { $0.value(for: key, at: now) }
    }
}

/// How segments are cached.
public struct SegmentOptions: Sendable {
    /// The maximum number of users in the cache; 0 for none. Default: 100.
    public var cachedUsers = 100
    /// How long cached segments are valid; nil: indefinitely. Default: 10 minutes.
    public var lifetime: Duration? = .seconds(600)

    /// Creates the standard options.
    public init() {}
}

/// How to fetch the segments of a user.
public struct FetchSegmentsOptions: OptionSet, Sendable {
    /// One bit for each option.
    public let rawValue: UInt8

    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Neither uses nor updates the cache.
    public static let ignoreCache = FetchSegmentsOptions(rawValue: 1 << 0)
    /// Removes the segments of all users from the cache first.
    public static let resetCache = FetchSegmentsOptions(rawValue: 1 << 1)
}
