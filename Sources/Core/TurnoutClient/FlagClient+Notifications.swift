extension FlagClient {
    /// Adds a listener. It is called for one notification at a time, on a different thread than the decision's.
    ///
    /// While 10,000 notifications are queued, threads that decide or track wait until listeners have taken enough of
    /// them. If none is taken for 250 milliseconds, a listener counts as stuck, and notifications are dropped without
    /// waiting until it continues; see ``lostNotificationCount``. A listener may call the client.
    ///
    /// - Parameters:
    ///   - kinds: The kinds of notifications to receive. Default: all.
    ///   - body: Called with each notification.
    /// - Returns: The id for ``removeListener(_:)``.
    @discardableResult
    public func addListener(
        to kinds: NotificationKinds = .all, _ body: @escaping @Sendable (ClientNotification) -> Void
    ) -> ListenerID {
        hub.add(kinds, body)
    }

    /// Removes a listener. A call in progress may still finish.
    public func removeListener(_ id: ListenerID) { hub.remove(id) }

    /// The number of notifications that were dropped because a listener was stuck.
    public var lostNotificationCount: Int { listenerQueue.lostCount }

    /// The notifications from now on, as a sequence that ends when the client is deallocated.
    ///
    /// ```swift
    /// for await case .datafileChange(let project) in client.notifications(of: .datafileChanges) { … }
    /// ```
    ///
    /// - Parameters:
    ///   - kinds: The kinds of notifications to receive. Default: all.
    ///   - limit: The maximum number of notifications queued for a slow reader; older ones are dropped. Default: 1,000.
    /// - Returns: A sequence that ends when its reader stops.
    public func notifications(
        of kinds: NotificationKinds = .all, limit: Int = 1_000
    ) -> AsyncStream<ClientNotification> {
        AsyncStream(bufferingPolicy: .bufferingNewest(limit)) { continuation in
            let id = hub.add(kinds) {
                continuation.yield($0)
            } end: {
                continuation.finish()
            }
            continuation.onTermination = { [weak hub] _ in hub?.remove(id) }
        }
    }
}
