package import TurnoutClient
package import TurnoutEngine

/// The services that the routes of the Agent's interface need besides the deciding clients.
package struct AgentServices: Sendable {
    /// Looks up users' segments. Default: nil, requests for segments fail.
    package var segments: AgentSegments?
    /// Takes an event for the data platform of a datafile. Default: nil, such events are refused.
    package var sendSegmentEvent: (@Sendable (SegmentEvent, Project) -> EventAcceptance)?
    /// Whether clients may read and replace users' assignments. Default: false; the routes answer as if there were no
    /// service for assignments.
    package var allowsProfileRoutes = false
    /// Called when a request forces the variation of a user of a project. Must return quickly. Default: does nothing.
    package var onForce: @Sendable (_ userID: String, _ projectID: String) -> Void = { _, _ in }
    /// Requests the datafile of an SDK key again, after the webhook announced a change. Must return quickly. Default:
    /// does nothing.
    package var refresh: @Sendable (_ sdkKey: String) -> Void = { _ in }
    /// Whether the datafile of an SDK key may be used with an access token, which is nil if the request has none.
    /// Default: always.
    package var allowsAccess: @Sendable (_ sdkKey: String, _ token: String?) -> Bool = { _, _ in true }
    /// Signs and verifies tokens. Default: nil, there are no tokens and no webhook.
    package var cryptography: (any Cryptography)?
    /// Provides the time of day. Default: the system's clock.
    package var wallClock: any WallClock = .system
    /// Measures the time since the start. Default: from now on.
    package var uptime: @Sendable () -> Duration = ContinuousClock().stopwatch()
    /// Receives warnings. Default: the standard error output.
    package var log: any Log = .standardError
    /// The version of the server.
    package var version = LibraryVersion.current

    /// Creates services that know no segments and tokens.
    package init() {}
}

/// Users' segments, from a source and a cache.
package struct AgentSegments: Sendable {
    package var source: any SegmentSource
    /// Whether the users of a datafile have segments. Default: if it names a data platform.
    package var isAvailable: @Sendable (Project) -> Bool = { OdpService(of: $0) != nil }
    /// A cache that other processes share. Default: nil, only the one in memory is used.
    package var sharedCache: SharedSegmentCache?
    private let cache: SegmentCache<any Error>

    /// Creates segments with an empty cache in memory.
    ///
    /// - Parameters:
    ///   - source: Looks up segments.
    ///   - options: The size and the lifetime of the cache. Default: 10,000 users for ten minutes.
    ///   - clock: Measures lifetimes.
    package init(
        _ source: any SegmentSource, options: SegmentOptions = .forServers, clock: any Clock<Duration> = .continuous
    ) {
        self.source = source
        cache = SegmentCache(options: options, uptime: clock.stopwatch())
    }

    /// The segments of a user.
    ///
    /// - Throws: The error of the source or of the shared cache, or ``Unavailable``.
    package func segments(
        of userID: String, by project: Project, sdkKey: String, options: FetchSegmentsOptions
    ) async throws -> [String] {
        guard isAvailable(project) else { throw Unavailable() }
        let key = OdpUserKey.cacheKey(for: userID)
        guard let sharedCache else {
            return try await cache.segments(of: sdkKey + " " + key, options: options) {
                try await source.segments(of: userID, by: project)
            }
        }
        if options.contains(.resetCache) { try await sharedCache.removeAll() }
        let usesCache = !options.contains(.ignoreCache)
        if usesCache, let known = try await sharedCache.segments(key) { return known }
        let segments = try await source.segments(of: userID, by: project)
        if usesCache { try await sharedCache.save(segments, key) }
        return segments
    }

    /// The datafile names no data platform.
    package struct Unavailable: Error {}
}

/// A cache for segments that several processes share. Keys are those of the vendor's Agent, `fs_user_id-$-ada`.
package struct SharedSegmentCache: Sendable {
    /// The segments for a key; nil if they are not cached.
    package var segments: @Sendable (_ key: String) async throws -> [String]?
    /// Caches the segments for a key.
    package var save: @Sendable (_ segments: [String], _ key: String) async throws -> Void
    /// Removes all cached segments, and nothing else.
    package var removeAll: @Sendable () async throws -> Void

    /// Creates a cache from its functions.
    package init(
        segments: @escaping @Sendable (_ key: String) async throws -> [String]?,
        save: @escaping @Sendable (_ segments: [String], _ key: String) async throws -> Void,
        removeAll: @escaping @Sendable () async throws -> Void
    ) {
        self.segments = segments
        self.save = save
        self.removeAll = removeAll
    }
}

/// The data platform at another address than the datafiles name. The key is that of the datafile.
package struct RedirectedSegmentSource: SegmentSource {
    private let host: String
    private let transport: any Transport
    private let deadline: Duration

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - host: The address, with its scheme and without a path.
    ///   - transport: Sends the requests.
    ///   - deadline: The time limit for a complete response. Default: 10 seconds.
    package init(_ host: String, transport: any Transport, deadline: Duration = .seconds(10)) {
        self.host = host
        self.transport = transport
        self.deadline = deadline
    }

    package func segments(of userID: String, by project: Project) async throws -> [String] {
        let service = OdpService(host: host, key: OdpService(of: project)?.key ?? "")
        return try await OdpSegmentSource(service, transport: transport, deadline: deadline)
            .segments(of: userID, by: project)
    }

    package func segments(of userID: String, among candidates: [String]) async throws -> [String] {
        throw OdpSegmentError.noService
    }
}

extension SegmentOptions {
    /// 10,000 users for ten minutes.
    package static var forServers: SegmentOptions {
        var options = SegmentOptions()
        options.cachedUsers = 10_000
        return options
    }
}
