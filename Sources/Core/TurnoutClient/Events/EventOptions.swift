/// When and how events are delivered.
public struct EventOptions: Sendable {
    /// The number of events per request while there is no backlog, and the number of queued events that triggers a
    /// request; with 1, each event is sent individually. The vendor's clients have the same default. Default: 10.
    public var eventsPerRequest = 10
    /// The maximum number of events per request when more events are queued than four usual requests carry. One request
    /// is in flight to a receiver, so events arrive in order. Default: 1,000.
    public var maximumEventsPerRequest = 1_000
    /// The maximum size of a request in bytes, unless it carries a single event. The vendor's service accepts 3.5 MB.
    /// Default: 1 MB.
    public var bytesPerRequest = 1_000_000
    /// The longest time before a queued event is sent; with zero, it is sent immediately. Default: 30 seconds.
    public var interval = Duration.seconds(30)
    /// The time limit for a request. Default: 10 seconds.
    public var requestDeadline = Duration.seconds(10)
    /// The number of consecutive attempts for a request before its destination backs off. Default: 3.
    public var attempts = 3
    /// The delay after the first failed attempt. It doubles after each further one, with random jitter so that clients
    /// that failed together do not retry together. Default: 0.2 seconds.
    public var firstDelay = Duration.milliseconds(200)
    /// The longest delay after failures, and the delay if the receiver rejects the address or the project. Default: 5
    /// minutes.
    public var longestDelay = Duration.seconds(300)
    /// Older events are given up; nil for never. Segment events have no timestamp and never expire. Default: nil.
    public var maximumAge: Duration?
    /// The addresses of receivers.
    public var endpoints = EventEndpoints()
    /// Called with the status when events are refused for a reason that requires a change of configuration: a redirect,
    /// 401, 403, 404 and most others from 402 to 499; 400, 413 or 422 if the receiver refuses everything with it; or 0
    /// for an invalid address. Called once, and again only after events have been accepted, on any thread. The events
    /// stay queued. Default: nil.
    public var onMisconfiguration: (@Sendable (_ status: Int) -> Void)?

    /// The current maximum age of events, if it changes during delivery; nil: ``maximumAge``.
    package var variableMaximumAge: (@Sendable () -> Duration?)?
    /// The number of requests before a run pauses; nil: no limit.
    package var requestsPerRun: Int?
    /// Whether a receiver is outdated. If it rejects the address or the project, its events are then given up.
    package var isObsolete: (@Sendable (OutgoingEvent.Group) -> Bool)?

    /// Creates the standard options.
    public init() {}

    /// The current maximum age of events.
    var currentMaximumAge: Duration? { if let variableMaximumAge { variableMaximumAge() } else { maximumAge } }
}

/// The services for event delivery.
package struct EventServices: Sendable {
    package var clock: any Clock<Duration> = .continuous
    /// Provides the time to compute the age of events.
    package var wallClock: any WallClock = .system
    /// Provides the jitter of delays.
    package var random: any RandomSource = .system
    package var log: any Log = .standardError
    /// Counts deliveries and failures. Default: nil, they are only logged.
    package var monitor: DeliveryMonitor?

    package init() {}
}
