import TurnoutClient
import TurnoutEngine

/// The last events since the start of the server, in memory, for people who look whether events arrive.
///
/// Copies of an event are events here: whether one is new is found out later, and does not matter to who looks.
package final class RecentEvents: Sendable {
    /// The number of events that are kept.
    package static let limit = 200

    private struct State {
        /// The last event is the first.
        var events: [RecentEvent] = []
        var listeners: [@Sendable ([RecentEvent]) -> Bool] = []
    }

    private let state = Locked(State())

    /// The events, the last first.
    package var all: [RecentEvent] { state.withLock { $0.events } }

    /// Adds the last events of a part of the log, which was processed.
    func add(_ page: ProcessedPage) {
        let known = page.rows.suffix(Self.limit).map { (rows: $0, isSetAside: false) }
        let unknown = page.unknown.suffix(Self.limit).map { (rows: $0, isSetAside: true) }
        var events: [RecentEvent] = []
        for (rows, isSetAside) in (known + unknown).sorted(by: { $0.rows.offset > $1.rows.offset })
        where events.count < Self.limit {
            events += rows.recent(isSetAside: isSetAside, limit: Self.limit)
        }
        guard !events.isEmpty else { return }
        let news = Array(events.prefix(Self.limit))
        let listeners = state.withLock { state in
            state.events = Array((news + state.events).prefix(Self.limit))
            let listeners = state.listeners
            state.listeners = []
            return listeners
        }
        let staying = listeners.filter { $0(news) }
        state.withLock { $0.listeners += staying }
    }

    /// Calls a function with all events, and then another one with new ones, the last first, on the thread that
    /// processes: both must return quickly. After that one has returned false, it is not called again.
    package func follow(
        _ start: ([RecentEvent]) -> Void, onAdd body: @escaping @Sendable ([RecentEvent]) -> Bool
    ) {
        state.withLock { state in
            // Those that have ended would stay until an event arrives.
            state.listeners.removeAll { !$0([]) }
            start(state.events)
            state.listeners.append(body)
        }
    }

    /// Forgets what was received of users; and all rejected parts, which do not say whose they are.
    func forget(_ users: [String]) {
        let users = Set(users)
        state.withLock { state in state.events.removeAll { event in event.user.map(users.contains) ?? true } }
    }

    /// `GET /events/recent`. No address contains a user, so only flags and events can be chosen.
    var route: Route {
        Route("GET", "/events/recent", "the last events, and rejected parts", access: .management(.events)) { request in
            .blocking {
                let filter = RecentEventFilter(flag: request.head.query["flag"], event: request.head.query["event"])
                var writer = JSONWriter()
                writer.object { json in
                    json.objects("events", self.all.filter(filter.matches)) { $1.write(to: &$0) }
                }
                writer.newline()
                var response = ServerResponse.json(200, writer.bytes)
                response.headers["Cache-Control"] = "no-store"
                return response
            }
        }
    }
}
