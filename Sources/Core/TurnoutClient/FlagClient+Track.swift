extension FlagClient {
    /// Records a conversion of a user.
    ///
    /// The tags `revenue` (in cents) and `value` are special. Values that cannot be sent, such as NaN, are left out
    /// with a warning that names the tag.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - user: The user.
    ///   - tags: The event's tags. Default: none.
    /// - Throws: ``TrackError`` if there is no datafile, it has no such event, or the event could not be queued.
    public func track(
        _ eventKey: String, for user: User, tags: [String: AttributeValue] = [:]
    ) throws(TrackError) {
        guard let event = try hooked(eventKey, user, tags) else { return }
        let recorded = try runtime.recordConversion(eventKey, for: event.user, tags: event.tags)
        try report(recorded, event, of: user)
    }

    /// The event as hooks change it, or nil if a hook drops it.
    private func hooked(
        _ eventKey: String, _ user: User, _ tags: [String: AttributeValue]
    ) throws(TrackError) -> ClientEvent? {
        let event = ClientEvent(kind: .conversion(eventKey: eventKey), user: user, tags: tags)
        guard let hooks, hooks.handlesEvents else { return event }
        // Also for events that are dropped, a key that the datafile does not have is an error.
        _ = try runtime.event(eventKey, for: user)
        return hooks.beforeEvent(event)
    }

    /// Notifies hooks of a conversion, and listeners unless its event was lost.
    private func report(_ recorded: ConversionResult, _ event: ClientEvent, of user: User) throws(TrackError) {
        hooks?.afterEvent(event)
        if recorded.acceptance == .lost { throw .lost }
        if hub.hasListeners { hub.post(.conversion(recorded.conversion, user: user)) }
        if recorded.acceptance == .notDurable { throw .notDurable }
    }

    /// Records a conversion of a user, and waits until its event is as durable as the event store makes it, without
    /// blocking a thread of Swift's concurrency pool. Useful for stores that wait for a disk; with others it equals
    /// ``track(_:for:tags:)``.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - user: The user.
    ///   - tags: The event's tags. Default: none.
    ///   - limit: The longest time to wait.
    /// - Throws: ``TrackError``; after the limit ``TrackError/notDurable``, although the event still goes to the store.
    public func track(
        _ eventKey: String, for user: User, tags: [String: AttributeValue] = [:], within limit: Duration
    ) async throws(TrackError) {
        guard events.waits else { return try track(eventKey, for: user, tags: tags) }
        guard let hooked = try hooked(eventKey, user, tags) else { return }
        // Before the limit starts, so that an invalid event is not reported as pending.
        let (conversion, event) = try runtime.conversion(eventKey, of: hooked.user, tags: hooked.tags)
        let outcome = await runtime.runToEnd(waitingAtMost: limit) {
            let recorded = await self.runtime.recordDurably(conversion, event)
            return Result { () throws(TrackError) in try self.report(recorded, hooked, of: user) }
        }
        guard let outcome else { throw .notDurable }
        try outcome.get()
    }

    /// Delivers queued events and stores queued assignments, as far as possible. Storing takes at most 10 seconds.
    public func flush() async {
        _ = await runtime.waitForUnfinishedCalls(within: .seconds(10))
        async let segmentEvents: Void = reporter.queue.flush()
        async let assignments: Void? = profiles?.flush(within: .seconds(10))
        await events.flush()
        await segmentEvents
        await assignments
    }

    /// Delivers queued events and stores queued assignments, as far as possible within a limit. Use this when an app
    /// enters the background or a server is asked to stop; the client continues to work. Events that are late stay in
    /// their store.
    public func flush(within limit: Duration) async {
        let elapsed = configuration.clock.stopwatch()
        _ = await runtime.waitForUnfinishedCalls(within: limit / 2)
        let rest = limit - elapsed()
        async let segmentEvents: Void = reporter.queue.flush(within: rest)
        async let assignments: Void? = profiles?.flush(within: rest)
        await events.flush(within: rest)
        await segmentEvents
        await assignments
    }
}
