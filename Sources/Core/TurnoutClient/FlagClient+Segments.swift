extension FlagClient {
    /// Fetches the segments of a user that the datafile's audiences use.
    ///
    /// Does not perform a request if the audiences use none. Results are cached; see ``SegmentOptions``.
    ///
    /// - Throws: ``SegmentError``.
    public func segments(
        of userID: String, options: FetchSegmentsOptions = []
    ) async throws(SegmentError) -> Set<String> {
        guard let project else { throw .notReady }
        guard let source = configuration.segments else { throw .noSource }
        guard !project.qualifiedSegments.isEmpty else { return [] }
        return Set(
            try await segments.segments(of: userID, options: options) { [self] () async throws(SegmentError) in
                // Reads the current datafile here: a result for an earlier one must not be cached for this one.
                guard let project = self.project, !project.qualifiedSegments.isEmpty else { return [] }
                let found: [String]
                do { found = try await source.segments(of: userID, by: project) } catch { throw .failed(error) }
                // A source may return any number of other segments. Segments that no audience uses are dropped.
                return OdpSegmentQuery(userID: userID, candidates: project.qualifiedSegments).candidates(in: found)
            })
    }
}

/// Why a user's segments are unknown.
public enum SegmentError: Error, Sendable, CustomStringConvertible {
    /// There is no datafile yet.
    case notReady
    /// No segment source is configured.
    case noSource
    /// The source failed.
    case failed(any Error)

    /// A description of the error.
    public var description: String {
        switch self {
        case .notReady: "segments cannot be fetched before the client has a datafile; start it first"
        case .noSource: "the configuration has no source of segments; set ClientConfiguration.segments"
        case .failed(let error): "segments could not be fetched: \(error)"
        }
    }
}

extension FlagClient {
    /// Sends an event about a user to the data platform, that of the datafile or
    /// ``ClientConfiguration/segmentEventService``. The platform assigns users to segments based on such events.
    ///
    /// ```swift
    /// try client.sendSegmentEvent("newsletter", type: "shop", identifiers: ["email": "ada@example.com"])
    /// ```
    ///
    /// Returns quickly. The event is sent soon after, together with others, and retried as configured in
    /// ``ClientConfiguration/events``. If the destination depends on the datafile, events before the first datafile are
    /// queued in memory. `data` takes precedence over the standard facts in each event: about this library, the
    /// operating system and the kind of device.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - type: The type of the event. Default: `fullstack`. An empty string means the default, too.
    ///   - identifiers: The names and values that identify the user. `fs_user_id` is the id that decisions are made
    ///     for; other spellings, such as `FS-USER-ID`, are changed to it. ``ClientConfiguration/deviceID`` is added as
    ///     `vuid`, unless there is one. Default: only the device id.
    ///   - data: Additional data: strings, finite numbers, Booleans and nil. Default: none.
    /// - Throws: ``SegmentEventError``. If there are several problems, the first in the order of its cases.
    public func sendSegmentEvent(
        _ action: String, type: String? = nil, identifiers: [String: String] = [:],
        data: [String: AttributeValue] = [:]
    ) throws(SegmentEventError) {
        try reporter.send(action, type: type, identifiers: identifiers, data: data)
    }

    /// Links a user to this device on the data platform. Call it when a user signs in or is otherwise identified; no
    /// other call does it.
    ///
    /// Does nothing if there is no ``ClientConfiguration/deviceID``, if the user's id is empty or itself the id of a
    /// device, or if there is no platform. Does not throw: events that cannot be queued are counted in ``lostEvents``.
    ///
    /// - Parameter userID: The user's id.
    public func identify(_ userID: String) { reporter.identify(userID) }
}

extension UserContext {
    /// Sends an event about the user to the data platform. See
    /// ``FlagClient/sendSegmentEvent(_:type:identifiers:data:)``.
    ///
    /// The user is identified by the user's id: as `vuid` if it is the id of a device, otherwise as `fs_user_id`.
    ///
    /// - Parameters:
    ///   - action: What happened.
    ///   - type: The type of the event. Default: `fullstack`.
    ///   - data: Additional data. Default: none.
    /// - Throws: ``SegmentEventError``.
    public func sendSegmentEvent(
        _ action: String, type: String? = nil, data: [String: AttributeValue] = [:]
    ) throws(SegmentEventError) {
        try client.sendSegmentEvent(action, type: type, identifiers: [OdpUserKey(for: id).rawValue: id], data: data)
    }

    /// Links the user to this device on the data platform. See ``FlagClient/identify(_:)``.
    public func identify() { client.identify(id) }
}
