package import TurnoutClient

/// `POST /v1/events`: receives events of clients, as the vendor's intake does.
///
/// The response is 204 once the body is in the log, whatever it contains: clients lose what is answered with another
/// status, or send it again without end. Processing checks the content later. If the log is full or the disk fails, the
/// connection is closed without a response, because some clients take any status for success.
package struct EventIntake: Sendable {
    private let log: SegmentLog
    private let wallClock: any WallClock
    private let refused: RefusedBodies
    private let onAppend: @Sendable () -> Void

    /// Creates the intake of a log.
    ///
    /// - Parameters:
    ///   - log: Keeps the bodies.
    ///   - wallClock: Provides the times of receipt. Default: the system's.
    ///   - refused: Counts bodies that are not JSON objects. Default: a count of its own.
    ///   - onAppend: Called when a body is in the log. Default: nothing.
    package init(
        _ log: SegmentLog, wallClock: any WallClock = .system, refused: RefusedBodies = RefusedBodies(),
        onAppend: @escaping @Sendable () -> Void = {}
    ) {
        self.log = log
        self.wallClock = wallClock
        self.refused = refused
        self.onAppend = onAppend
    }

    /// The route. The vendor's regions use the same path.
    package var routes: [Route] {
        [
            Route(
                "POST", "/v1/events", "receives impressions and conversions", bodyLimit: .events,
                access: .intake
            ) { request in respond(to: request) }
        ]
    }

    private func respond(to request: ServerRequest) -> Answer {
        guard Self.mayBeObject(request.body) else {
            refused.add(.malformedEvents)
            return .now(.error(400, "the body is not a JSON object"))
        }
        let time = wallClock.millisecondsSince1970()
        return .later { [log, onAppend] in
            do {
                try await log.append(request.body, receivedAt: time)
                onAppend()
                return ServerResponse(204)
            } catch {
                return .closed
            }
        }
    }

    /// Whether the first and the last character are those of an object: enough to keep out everything that no client
    /// sends, without reading the body.
    static func mayBeObject(_ body: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = body.starts(with: mark) ? body.dropFirst(3) : body[...]
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        return text.first { !isBlank($0) } == UInt8(ascii: "{") && text.last { !isBlank($0) } == UInt8(ascii: "}")
    }
}
