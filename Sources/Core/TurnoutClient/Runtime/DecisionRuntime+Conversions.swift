extension DecisionRuntime {
    /// Records a conversion of a user, and sends its event.
    ///
    /// Tags that cannot be sent, such as NaN, are left out with a warning.
    ///
    /// - Throws: ``TrackError/notReady`` or ``TrackError/unknownEvent(_:)``. The result contains whether the event was
    ///   accepted.
    package func recordConversion(
        _ eventKey: String, for user: User, tags: [String: AttributeValue]
    ) throws(TrackError) -> ConversionResult {
        let (conversion, event) = try conversion(eventKey, of: user, tags: tags)
        return ConversionResult(conversion: conversion, event: event, acceptance: events?.accept(event) ?? .accepted)
    }

    /// Sends the event of a conversion, and waits until it is as durable as the store makes it, without blocking a
    /// thread.
    package func recordDurably(_ conversion: Conversion, _ event: OutgoingEvent) async -> ConversionResult {
        let acceptance = await events?.acceptDurably([event]).first ?? .accepted
        return ConversionResult(conversion: conversion, event: event, acceptance: acceptance)
    }

    /// A conversion and its event.
    package func conversion(
        _ eventKey: String, of user: User, tags: [String: AttributeValue]
    ) throws(TrackError) -> (Conversion, OutgoingEvent) {
        let (snapshot, known) = try event(eventKey, for: user)
        let conversion = Conversion(known, tags: tags)
        for tag in conversion.rejectedTags {
            services.log(.warning, "event \(eventKey): the tag \(tag) has a value that cannot be sent")
        }
        warn(ofUnsent: user.attributes, snapshot.project)
        return (conversion, snapshot.event(conversion, of: user, stamp: stamp()))
    }

    /// The event of the datafile in use.
    func event(_ eventKey: String, for user: User) throws(TrackError) -> (Snapshot, Event) {
        guard let snapshot = snapshots.current else { throw .notReady }
        guard let event = snapshot.project.event(eventKey) else { throw .unknownEvent(eventKey) }
        return (snapshot, event)
    }
}

/// Why a conversion was not recorded, or is not durable.
public enum TrackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// The datafile has no event with this key.
    case unknownEvent(String)
    /// The event was lost, because the queue is full or its store failed; see ``FlagClient/lostEvents``.
    case lost
    /// The event is queued in memory, but its store could not make it durable. Tracking it again would count it twice.
    case notDurable

    /// A description of the error.
    public var description: String {
        switch self {
        case .notReady: "there is no datafile yet"
        case .unknownEvent(let key): "the datafile has no event \"\(key)\""
        case .lost: "the event was lost: the queue is full or its store failed"
        case .notDurable: "the event is kept in memory only"
        }
    }
}
