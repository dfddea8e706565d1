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
    /// - Throws: ``TrackError``, if there is no datafile or it has no such event.
    public func track(
        _ eventKey: String, for user: User, tags: [String: AttributeValue] = [:]
    ) throws(TrackError) {
        let (conversion, _) = try convert(eventKey, for: user, tags: tags)
        if hub.isHeard { hub.post(.conversion(conversion, user: user)) }
    }

    /// Counts something that a user did; listeners are left to the caller.
    package func convert(
        _ eventKey: String, for user: User, tags: [String: AttributeValue]
    ) throws(TrackError) -> (Conversion, OutgoingEvent) {
        guard let snapshot = snapshots[user.stripe] else { throw .notReady }
        guard let known = snapshot.project.event(eventKey) else { throw .unknownEvent(eventKey) }
        let conversion = Conversion(known, tags: tags)
        for tag in conversion.rejectedTags {
            configuration.log(.warning, "event \(eventKey): the tag \(tag) has a value that cannot be sent")
        }
        warn(ofUnsent: user.attributes, snapshot.project)
        let event = snapshot.event(conversion, of: user, stamp: stamp())
        events.accept(event)
        return (conversion, event)
    }

    /// Delivers the events that wait, as far as possible.
    public func flush() async { await events.flush() }
}

/// Why a conversion was not counted.
public enum TrackError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// The datafile has no event with this key.
    case unknownEvent(String)

    /// The error in words.
    public var description: String {
        switch self {
        case .notReady: "there is no datafile yet"
        case .unknownEvent(let key): "the datafile has no event \"\(key)\""
        }
    }
}
