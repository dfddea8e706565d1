/// When and how events are delivered. Every number that matters is here.
public struct EventOptions: Sendable {
    /// How many events a request carries at most, and how many may wait before one is sent. The vendor's clients
    /// default to the same. Default: 10.
    public var eventsPerRequest = 10
    /// The longest time an event waits before it is sent; zero: it is sent at once. Default: 30 seconds.
    public var interval = Duration.seconds(30)
    /// How long a request may take. Default: 10 seconds.
    public var requestDeadline = Duration.seconds(10)
    /// How often a request is tried in a row before the events wait for the next occasion. Default: 3.
    public var attempts = 3
    /// How long to wait after the first failed attempt; twice as long after each further one. Default: 0.2 seconds.
    public var firstDelay = Duration.milliseconds(200)
    /// Where events are sent.
    public var endpoints = EventEndpoints()

    /// Creates the standard options; change what you need.
    public init() {}
}
