package import TurnoutServer

/// An event of a visitor, which a client sends in a body of its own.
package struct ScriptedEvent: Sendable {
    package static let day: Int64 = 86_400_000
    package static let hour: Int64 = 3_600_000

    private let visitor: String
    private let snapshot: String
    private let project: String
    /// When it happened, in milliseconds since 1970.
    package let time: Int64
    private let attributes: [String: String]
    private let client: String

    private init(
        _ visitor: String, _ snapshot: String, _ time: Int64, _ project: String, _ attributes: [String: String],
        _ client: String
    ) {
        (self.visitor, self.snapshot, self.time) = (visitor, snapshot, time)
        (self.project, self.attributes, self.client) = (project, attributes, client)
    }

    /// An exposure to a variation of experiment 4101: `a` or `b`.
    ///
    /// - Parameters:
    ///   - visitor: The id of the visitor.
    ///   - variation: The id of the variation.
    ///   - number: A number of its own.
    ///   - offset: Milliseconds after ``EventBodies/time``. Default: 0.
    ///   - project: The project. Default: 12001.
    ///   - attributes: Further attributes, with values in JSON. Default: none.
    ///   - client: The name of the client. Default: `python-sdk`.
    /// - Returns: The event.
    package static func exposure(
        _ visitor: String, _ variation: String, _ number: Int, after offset: Int64 = 0, project: String = "12001",
        attributes: [String: String] = [:], client: String = "python-sdk"
    ) -> ScriptedEvent {
        let time = EventBodies.time + offset
        let snapshot = EventBodies.exposure(
            uuid: EventBodies.uuid(number), variation: variation, timestamp: time)
        return ScriptedEvent(visitor, snapshot, time, project, attributes, client)
    }

    /// A conversion with the event `purchase`, with parameters as for an exposure.
    package static func purchase(
        _ visitor: String, _ number: Int, after offset: Int64 = 0, revenue: Int = 0, value: Double = 0
    ) -> ScriptedEvent {
        let time = EventBodies.time + offset
        let snapshot = EventBodies.conversion(
            uuid: EventBodies.uuid(number), revenue: revenue, value: value, timestamp: time)
        return ScriptedEvent(visitor, snapshot, time, "12001", [:], "python-sdk")
    }

    /// The rows of the body, which was received some time after the event.
    package func rows(receivedAfter delay: Int64 = 0) -> EventRows {
        let visitor = EventBodies.visitor(visitor, snapshot, more: attributes)
        let body = EventBodies.body(visitor, project: project, client: client)
        return EventBatchParser().rows(of: EventBodies.record(body, receivedAt: time + delay))
    }
}

extension EventDatabase {
    /// Writes events that were received at once, in one transaction.
    @discardableResult
    package func write(
        _ events: [ScriptedEvent], _ change: (inout ProcessedPage) -> Void = { _ in }
    ) throws -> ProcessedCounts {
        var page = ProcessedPage(next: 1)
        page.rows = events.map { $0.rows() }
        change(&page)
        return try write(page)
    }
}
