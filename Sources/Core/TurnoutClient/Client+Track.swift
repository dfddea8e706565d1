extension Client {
    /// Counts something that a user did.
    ///
    /// The tags `revenue` (in cents) and `value` have a meaning of their own. Values that cannot be sent, such as
    /// NaN, are left out with a warning that names the tag.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - user: Who did it.
    ///   - tags: What to add. Default: nothing.
    /// - Throws: ``TrackError``, if there is no datafile, it has no such event, or the event could not be kept.
    public func track(
        _ eventKey: String, for user: User, tags: [String: AttributeValue] = [:]
    ) throws(TrackError) {
        let converted = try convert(eventKey, for: user, tags: tags)
        if converted.acceptance == .lost { throw .lost }
        if hub.isHeard { hub.post(.conversion(converted.conversion, user: user)) }
        if converted.acceptance == .notDurable { throw .notDurable }
    }

    /// Counts something that a user did, and waits until its event is as safe as the event store makes it, without
    /// blocking a thread of Swift's tasks. For stores that wait for a disk; with others it is ``track(_:for:tags:)``.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event in the datafile.
    ///   - user: Who did it.
    ///   - tags: What to add. Default: nothing.
    ///   - limit: The longest time to wait.
    /// - Throws: ``TrackError``; when the time is up ``TrackError/notDurable``, for the event still goes to the store.
    public func track(
        _ eventKey: String, for user: User, tags: [String: AttributeValue] = [:], within limit: Duration
    ) async throws(TrackError) {
        guard events.waits else { return try track(eventKey, for: user, tags: tags) }
        // Before the time begins: what cannot be tracked must not look like something that is on its way.
        guard let snapshot = snapshots[user.stripe] else { throw .notReady }
        guard snapshot.project.event(eventKey) != nil else { throw .unknownEvent(eventKey) }
        let outcome = await blocking(within: limit) {
            Result { () throws(TrackError) in try self.track(eventKey, for: user, tags: tags) }
        }
        guard let outcome else { throw .notDurable }
        try outcome.get()
    }

    /// Counts something that a user did; listeners are left to the caller.
    package func convert(
        _ eventKey: String, for user: User, tags: [String: AttributeValue]
    ) throws(TrackError) -> MadeConversion {
        guard let snapshot = snapshots[user.stripe] else { throw .notReady }
        guard let known = snapshot.project.event(eventKey) else { throw .unknownEvent(eventKey) }
        let conversion = Conversion(known, tags: tags)
        for tag in conversion.rejectedTags {
            configuration.log(.warning, "event \(eventKey): the tag \(tag) has a value that cannot be sent")
        }
        warn(ofUnsent: user.attributes, snapshot.project)
        let event = snapshot.event(conversion, of: user, stamp: stamp())
        return MadeConversion(conversion: conversion, event: event, acceptance: events.accept(event))
    }

    /// Delivers the events and stores the assignments that wait, as far as possible; the latter for ten seconds at
    /// most.
    public func flush() async {
        await unfinished.wait(within: .seconds(10), on: configuration.clock)
        async let segmentEvents: Void? = reporter?.queue.flush()
        async let assignments: Void? = profiles?.flush(within: .seconds(10))
        await events.flush()
        await segmentEvents
        await assignments
    }

    /// Delivers the events and stores the assignments that wait, as far as possible within a limit. For an app that
    /// goes to the background, or a server that is told to end; the client goes on. What is late stays in the store.
    public func flush(within limit: Duration) async {
        let elapsed = configuration.clock.stopwatch()
        await unfinished.wait(within: limit / 2, on: configuration.clock)
        let rest = limit - elapsed()
        async let segmentEvents: Void? = reporter?.queue.flush(within: rest)
        async let assignments: Void? = profiles?.flush(within: rest)
        await events.flush(within: rest)
        await segmentEvents
        await assignments
    }
}

/// A conversion and what became of it.
package struct MadeConversion {
    /// What happened.
    package let conversion: Conversion
    /// What is sent.
    package let event: OutgoingEvent
    /// Whether it is.
    package let acceptance: EventAcceptance
}

/// Why a conversion was not counted.
public enum TrackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// The datafile has no event with this key.
    case unknownEvent(String)
    /// The event could not be kept, because too many wait already or its store failed; see ``Client/lostEvents``.
    case lost
    /// The event counts and will be delivered if the process lives long enough, but its store could not make it
    /// durable. Tracking it again would count it twice.
    case notDurable

    /// The error in words.
    public var description: String {
        switch self {
        case .notReady: "there is no datafile yet"
        case .unknownEvent(let key): "the datafile has no event \"\(key)\""
        case .lost: "the event could not be kept"
        case .notDurable: "the event is kept in memory only"
        }
    }
}
