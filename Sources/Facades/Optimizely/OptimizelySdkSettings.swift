import Foundation

/// Settings of a client for segments, device ids, the client's name in events, the network, and the event queue.
///
/// The settings apply only to the client that they are passed to, except where noted.
public struct OptimizelySdkSettings: Sendable {
    package private(set) var segmentsCacheSize: Int
    package private(set) var segmentsCacheTimeoutInSecs: Int
    package let timeoutForSegmentFetchInSecs: Int
    package let timeoutForOdpEventInSecs: Int
    package let disableOdp: Bool
    package let enableVuid: Bool
    package let sdkName: String?
    package let sdkVersion: String?
    package let allowsInsecureHTTP: Bool
    package let eventEndpoint: String?
    package let euEventEndpoint: String?
    package let events: ClientEventSettings

    /// The client name in events by default: that of the vendor's SDK with this interface.
    package static let standardName = "swift-sdk"
    /// The client version in events by default: that of the vendor's SDK with this interface.
    package static let standardVersion = "5.4.2"

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - segmentsCacheSize: The maximum number of users whose segments are cached; 0 or less disables the cache.
    ///     Default: 100.
    ///   - segmentsCacheTimeoutInSecs: How long segments are cached, in seconds; 0 or less means without expiry.
    ///     Default: 600.
    ///   - timeoutForSegmentFetchInSecs: The time limit for fetching segments, in seconds; 0 or less means 60, the
    ///     system's default. Default: 10.
    ///   - timeoutForOdpEventInSecs: The time limit for sending ODP events, in seconds; 0 or less means 60, the
    ///     system's default. Default: 10.
    ///   - disableOdp: Whether ODP is disabled. Default: `false`.
    ///   - enableVuid: Whether the device gets a visitor id (VUID). Default: `false`.
    ///   - sdkName: The client's name in events. Nil or an empty string means the default. Default: nil, `swift-sdk`.
    ///   - sdkVersion: The client's version in events. Nil or an empty string means the default. Default: nil, `5.4.2`,
    ///     the version of the vendor's SDK with this interface.
    ///   - allowsInsecureHTTP: Whether plain `http` URLs are accepted for every host, for datafiles, events, segments
    ///     and predictions. Anything on the network path can then read and change what is sent. Services shared by
    ///     several clients, such as the default event dispatcher, accept plain `http` as soon as one of the clients
    ///     does. Default: `false`, plain `http` only for the local machine: `localhost`, `127.0.0.0/8` and `[::1]`.
    ///   - eventEndpoint: The URL for this client's events of projects in the United States. Default: nil,
    ///     ``EventForDispatch/eventEndpoint``, which applies to the whole process.
    ///   - euEventEndpoint: The URL for this client's events of projects in the European Union. Default: nil,
    ///     ``EventForDispatch/euEventEndpoint``, which applies to the whole process.
    ///   - eventBatchSize: The number of events per request without a backlog. This and the following settings are for
    ///     the default event dispatcher, which all clients share: those of the first client apply. They have no effect
    ///     on an event dispatcher that is passed to the client. Default: nil, 10.
    ///   - maxEventQueueSize: The maximum number of queued events, at least 100. Default: nil, 10,000.
    ///   - maximumEventAgeInSecs: The maximum age of queued events, in seconds; see
    ///     ``DefaultEventDispatcher/maximumAge``. Default: nil, no limit.
    ///   - storesEventsBeforeReturning: Whether calls return only after their events are in the file; see
    ///     ``DefaultEventDispatcher/storesEventsBeforeReturning``. Default: false.
    public init(
        segmentsCacheSize: Int = 100, segmentsCacheTimeoutInSecs: Int = 600, timeoutForSegmentFetchInSecs: Int = 10,
        timeoutForOdpEventInSecs: Int = 10, disableOdp: Bool = false, enableVuid: Bool = false,
        sdkName: String? = nil, sdkVersion: String? = nil, allowsInsecureHTTP: Bool = false,
        eventEndpoint: String? = nil, euEventEndpoint: String? = nil, eventBatchSize: Int? = nil,
        maxEventQueueSize: Int? = nil, maximumEventAgeInSecs: Int? = nil, storesEventsBeforeReturning: Bool = false
    ) {
        self.segmentsCacheSize = segmentsCacheSize
        self.segmentsCacheTimeoutInSecs = segmentsCacheTimeoutInSecs
        self.timeoutForSegmentFetchInSecs = timeoutForSegmentFetchInSecs
        self.timeoutForOdpEventInSecs = timeoutForOdpEventInSecs
        self.disableOdp = disableOdp
        self.enableVuid = enableVuid
        // An empty string counts as nil.
        self.sdkName = sdkName.flatMap { $0.isEmpty ? nil : $0 }
        self.sdkVersion = sdkVersion.flatMap { $0.isEmpty ? nil : $0 }
        self.allowsInsecureHTTP = allowsInsecureHTTP
        self.eventEndpoint = eventEndpoint
        self.euEventEndpoint = euEventEndpoint
        events = ClientEventSettings(
            batchSize: eventBatchSize, queueSize: maxEventQueueSize, maximumAge: maximumEventAgeInSecs,
            storesBeforeReturning: storesEventsBeforeReturning)
    }

    // MARK: Deprecated names

    /// Returns a copy with another segment cache size, in users.
    @available(*, deprecated, message: "Use the parameter segmentsCacheSize of the initializer.")
    public func withODPSegmentCacheSize(_ size: Int) -> OptimizelySdkSettings {
        var settings = self
        settings.segmentsCacheSize = size
        return settings
    }

    /// Returns a copy with another segment cache timeout, in seconds.
    @available(*, deprecated, message: "Use the parameter segmentsCacheTimeoutInSecs of the initializer.")
    public func withODPSegmentCacheTimeout(_ seconds: Int) -> OptimizelySdkSettings {
        var settings = self
        settings.segmentsCacheTimeoutInSecs = seconds
        return settings
    }
}

/// A client's settings for the default event dispatcher; nil means the dispatcher's default.
package struct ClientEventSettings: Sendable, Equatable {
    var batchSize: Int?
    var queueSize: Int?
    /// In seconds.
    var maximumAge: Int?
    var storesBeforeReturning = false
}

/// Settings for contextual bandits (CMAB), whose variations a prediction service chooses.
public struct CmabConfig: Sendable {
    /// The maximum number of cached predictions; 0 or less disables the cache.
    package let cacheSize: Int
    /// How long a prediction is cached, in seconds; always positive.
    package let cacheTimeoutInSecs: Int
    /// The URL of the prediction service; `%@` stands for the rule's id.
    package let predictionEndpoint: String

    package static let standardCacheTimeoutInSecs = 30 * 60
    package static let standardEndpoint = "https://prediction.cmab.optimizely.com/predict/%@"

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - cacheSize: The maximum number of cached predictions; 0 or less disables the cache. Default: 100.
    ///   - cacheTimeoutInSecs: How long a prediction is cached, in seconds; 0 or less means the default. Default: 1800.
    ///   - predictionEndpoint: The URL of the prediction service, with `%@` in place of the rule's id. Nil or a blank
    ///     string means the vendor's service. Default: nil.
    public init(cacheSize: Int = 100, cacheTimeoutInSecs: Int = 30 * 60, predictionEndpoint: String? = nil) {
        self.cacheSize = cacheSize
        self.cacheTimeoutInSecs = cacheTimeoutInSecs > 0 ? cacheTimeoutInSecs : Self.standardCacheTimeoutInSecs
        let endpoint = predictionEndpoint?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        self.predictionEndpoint = endpoint.isEmpty ? Self.standardEndpoint : endpoint
    }
}

/// The region in which a project's events are collected.
public enum Region: String, Codable, Equatable, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The United States.
    case US
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The European Union.
    case EU
}
