extension Client {
    /// Tells the data platform, the datafile's or ``ClientConfiguration/segmentEventService``, what somebody did; by
    /// such events it puts users into segments.
    ///
    /// ```swift
    /// try client.sendSegmentEvent("newsletter", type: "shop", identifiers: ["email": "ada@example.com"])
    /// ```
    ///
    /// Quick. The event is on its way soon after, with others that come meanwhile, and is tried again as
    /// ``ClientConfiguration/events`` says. One from before the first datafile waits in memory, if only the datafile
    /// tells where it belongs. `data` goes before the facts that every event tells: about this library, the operating
    /// system and the kind of device.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - type: A family of events. Default: `fullstack`, also for an empty one.
    ///   - identifiers: What the platform can know the user by: names and values. `fs_user_id` is the id that decisions
    ///     are made for; other spellings of it, such as `FS-USER-ID`, become that. ``ClientConfiguration/deviceID`` is
    ///     added as `vuid`, unless there is one. Default: that alone.
    ///   - data: Further facts: texts, finite numbers, truth values and nil. Default: none.
    /// - Throws: ``SegmentEventError``. Of several, the first in the order of its cases.
    public func sendSegmentEvent(
        _ action: String, type: String? = nil, identifiers: [String: String] = [:],
        data: [String: AttributeValue] = [:]
    ) throws(SegmentEventError) {
        guard let reporter else { throw .noService }
        try reporter.send(action, type: type, identifiers: identifiers, data: data)
    }

    /// Tells the data platform that a user and this device belong together. For the moment when somebody signs in, or
    /// the program finds out who they are; no other call does it.
    ///
    /// Does nothing if there is no ``ClientConfiguration/deviceID``, if the user's id is empty or the id of a device
    /// itself, or if there is no platform. Never fails: what cannot be kept is counted in ``lostEvents``.
    ///
    /// - Parameter userID: The user's id.
    public func identify(_ userID: String) { reporter?.identify(userID) }
}

extension UserContext {
    /// Tells the data platform what the user did. See ``Client/sendSegmentEvent(_:type:identifiers:data:)``.
    ///
    /// The platform knows the user by their id: as `vuid` if it is the id of a device, otherwise as `fs_user_id`.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - type: A family of events. Default: `fullstack`.
    ///   - data: Further facts. Default: none.
    /// - Throws: ``SegmentEventError``.
    public func sendSegmentEvent(
        _ action: String, type: String? = nil, data: [String: AttributeValue] = [:]
    ) throws(SegmentEventError) {
        try client.sendSegmentEvent(action, type: type, identifiers: [OdpUserKey(for: id).rawValue: id], data: data)
    }

    /// Tells the data platform that the user and this device belong together. See ``Client/identify(_:)``.
    public func identify() { client.identify(id) }
}
