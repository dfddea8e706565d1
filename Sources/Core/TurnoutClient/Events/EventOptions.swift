/// When and how events are delivered. Every number that matters is here.
public struct EventOptions: Sendable {
    /// How many events a request carries at most, and how many may wait before one is sent. The vendor's clients
    /// default to the same. Default: 10.
    public var eventsPerRequest = 10
    /// How many bytes a request has at most, unless it carries a single event. The vendor's service takes 3.5 MB.
    /// Default: 3 MB.
    public var bytesPerRequest = 3_000_000
    /// The longest time an event waits before it is sent; zero: it is sent at once. Default: 30 seconds.
    public var interval = Duration.seconds(30)
    /// How long a request may take. Default: 10 seconds.
    public var requestDeadline = Duration.seconds(10)
    /// How often a request is tried in a row before the events wait for a while. Default: 3.
    public var attempts = 3
    /// How long to wait after the first failed attempt; twice as long after each further one, a little more or less by
    /// chance, so that clients that failed together do not come back together. Default: 0.2 seconds.
    public var firstDelay = Duration.milliseconds(200)
    /// The longest time to wait after failures; also how long to wait if the receiver says that it is not the right one
    /// or does not know the project. Default: 5 minutes.
    public var longestDelay = Duration.seconds(300)
    /// Events older than this are given up; nil: never. Segment events, which bear no time, never are. Default: nil.
    public var maximumAge: Duration?
    /// Where events are sent.
    public var endpoints = EventEndpoints()
    /// Called with the answer's status when a receiver says that it is not the right one (a redirect, or 404) or does
    /// not know the project (401, 403): somebody has to look into the configuration. Once until events arrive again,
    /// on any thread. 0 stands for an address that cannot be used. The events stay. Default: nobody.
    public var onMisconfiguration: (@Sendable (_ status: Int) -> Void)?

    /// How many requests are sent before the rest waits for a while; nil: until nothing waits.
    package var requestsPerRun: Int?
    /// Whether a receiver is one of the past: if it is not the right one any more, its events are given up.
    package var isObsolete: (@Sendable (OutgoingEvent.Group) -> Bool)?

    /// Creates the standard options; change what you need.
    public init() {}
}
