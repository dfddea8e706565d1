public import TurnoutClient

extension OPTLYClientBase {
    /// The state of the client: its datafile, events and assignments. Contains no personal data and no secrets.
    ///
    /// ```swift
    /// print(client.status)
    /// ```
    ///
    /// Clients share an event dispatcher: the events include those of its other clients. Of a dispatcher that is not an
    /// ``OPTLYEventDispatcherDefault``, the events are unknown and count as zero. The datafile is requested at most
    /// once, by `initialize(callback:)`, and has no maximum age. Listeners are called at once: no notifications wait.
    public var status: ClientStatus {
        ClientStatus(
            datafile: parts.datafileMonitor.status,
            events: (parts.eventDispatcher as? OPTLYEventDispatcherDefault)?.status ?? EventStatus(),
            profileFailures: runtime.profiles?.failures ?? ProfileFailures(), waitingNotifications: 0,
            lostNotifications: 0)
    }

    /// The metrics of the client: its status as numbers, for any monitoring system. `metrics.prometheus()` is their
    /// text for Prometheus.
    public var metrics: MetricsSnapshot { MetricsSnapshot(status) }
}
