public import TurnoutClient

extension OptimizelyClient {
    /// The state of the client: its datafile and the requests for newer ones, its events, assignments and listeners.
    /// Contains no personal data and no secrets.
    ///
    /// ```swift
    /// print(client.status)
    /// ```
    ///
    /// Clients share an event dispatcher, and those with one SDK key the datafile handler and the profile service:
    /// their counts include those of the other clients. Of a handler or dispatcher that is not this library's, the
    /// requests and events are unknown and count as zero. The datafile has no maximum age; compare its `age`.
    public var status: ClientStatus {
        let datafile = parts.monitor.status
        let handler = datafileHandler as? DefaultDatafileHandler
        return ClientStatus(
            datafile: handler.map { datafile.combined(withRequestsOf: $0.monitor(parts.sdkKey).status) } ?? datafile,
            events: (parts.shared.eventDispatcher.value as? DefaultEventDispatcher)?.status ?? EventStatus(),
            segmentEvents: odpManager?.eventManager?.status ?? EventStatus(),
            profileFailures: parts.shared.profiles.failures, waitingNotifications: parts.notifications.queue.count,
            lostNotifications: parts.notifications.queue.lostCount)
    }

    /// The metrics of the client: its status as numbers, for any monitoring system. `metrics.prometheus()` is their
    /// text for Prometheus. If a program has several clients, label their metrics:
    /// `us.metrics.labeled(.init("client", "us")) + eu.metrics.labeled(.init("client", "eu"))`.
    public var metrics: MetricsSnapshot { MetricsSnapshot(status) }
}
