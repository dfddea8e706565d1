/// Where segment events go.
package enum SegmentEventDestination: Sendable, Equatable {
    /// There is no datafile yet that could tell. Events wait.
    case unknown
    /// The datafile names nobody who wants them. Events are dropped.
    case nowhere
    /// The service that the datafile names.
    case service(OdpService)

    /// The destination that a datafile names; nil: there is no datafile.
    package init(of project: Project?) {
        guard let project else {
            self = .unknown
            return
        }
        self = OdpService(of: project).map { .service($0) } ?? .nowhere
    }
}

/// Segment events that wait, oldest first, each with the service it is for.
///
/// An event is for the service of the moment it happened, whatever the datafile says when it leaves: keys and events of
/// two datafiles never mix. Events from before the first datafile are for the service that this names.
final class SegmentEventStore: Sendable {
    struct Entry: Sendable {
        let id: Int
        let event: SegmentEvent
        var service: OdpService?
    }

    enum Outcome { case kept, full, unwanted }

    private struct State {
        var destination = SegmentEventDestination.unknown
        var entries: [Entry] = []
        var nextID = 0
    }

    private let limit: Int
    private let state = Locked(State())

    init(limit: Int) { self.limit = max(1, limit) }

    var count: Int { state.withLock { $0.entries.count } }

    /// Adds an event at the end, if there is room and somebody may want it.
    func append(_ event: SegmentEvent) -> Outcome {
        state.withLock { state in
            var entry = Entry(id: state.nextID, event: event)
            switch state.destination {
            case .unknown: break
            case .nowhere: return .unwanted
            case .service(let service): entry.service = service
            }
            guard state.entries.count < limit else { return .full }
            state.entries.append(entry)
            state.nextID += 1
            return .kept
        }
    }

    /// Says where events go from now on.
    func update(to destination: SegmentEventDestination) {
        state.withLock { state in
            state.destination = destination
            guard case .service(let service) = destination else { return }
            for index in state.entries.indices where state.entries[index].service == nil {
                state.entries[index].service = service
            }
        }
    }

    /// The oldest events that may share a request, at most `count`; nil: none can be sent.
    func batch(_ count: Int, besides passedOver: Set<OdpService>) -> (service: OdpService, entries: [Entry])? {
        state.withLock { state in
            let first = state.entries.first { $0.service.map { !passedOver.contains($0) } ?? false }
            guard let service = first?.service else { return nil }
            return (service, Array(state.entries.lazy.filter { $0.service == service }.prefix(max(1, count))))
        }
    }

    /// Removes events; those that are gone already do not matter.
    func remove(_ entries: [Entry]) {
        let ids = Set(entries.map(\.id))
        state.withLock { $0.entries.removeAll { ids.contains($0.id) } }
    }

    /// Removes everything, if the datafile names nobody who wants it. How much that was.
    func removeUnwanted() -> Int {
        state.withLock { state in
            guard state.destination == .nowhere else { return 0 }
            defer { state.entries = [] }
            return state.entries.count
        }
    }
}
