/// Tells the data platform what users do and on which device, and hands that to a queue.
final class SegmentReporter: Sendable {
    /// Delivers what is told.
    let queue: SegmentEventQueue
    /// Who gets all events, whatever the datafile names; nil: whom it names.
    private let service: OdpService?
    private let device: String?
    private let origin: SegmentEventOrigin
    private let random: any RandomSource
    private let log: any Log
    /// Held while a datafile takes effect.
    private let updating = Locked(())

    /// Creates a reporter. If the device has an id, the platform is told at once that it is there.
    init(_ configuration: ClientConfiguration) {
        let store = configuration.segmentEventStore
        queue = SegmentEventQueue { store }
        queue.connect(configuration.transport, configuration.events, configuration.eventServices)
        service = configuration.segmentEventService
        device = configuration.deviceID?.rawValue
        origin = .here(source: configuration.clientName, sourceVersion: configuration.clientVersion)
        random = configuration.random
        log = configuration.log
        if let service { queue.update(to: .service(service)) }
        if device != nil { report("client_initialized", [:]) }
    }

    /// Goes by the newest datafile from now on. `newest` is called while others wait: whoever comes last sees what all
    /// those before saw, or something newer.
    func update(to newest: () -> Project?) {
        guard service == nil else { return }
        updating.withLock { _ in queue.update(to: SegmentEventDestination(of: newest())) }
    }

    /// Makes an event of what the program says, and takes it over.
    func send(
        _ action: String, type: String?, identifiers: [String: String], data: [String: AttributeValue]
    ) throws(SegmentEventError) {
        guard queue.destination != .nowhere else { throw .noService }
        var facts: [String: JSONValue] = [:]
        for (name, value) in data.sorted(by: { $0.key < $1.key }) {
            guard let fact = JSONValue(value) else { throw .invalidData(name) }
            facts[name] = fact
        }
        let event = try SegmentEvent(
            type: type, action: action,
            identifiers: SegmentEvent.normalized(SegmentEvent.identifiers(identifiers, on: device)),
            data: origin.adding(to: facts, id: random.eventID()))
        switch queue.accept(event) {
        case .accepted: return
        case .notDurable: throw .notDurable
        case .lost: throw .lost
        }
    }

    /// Tells that a user and this device belong together, if that takes telling.
    func identify(_ userID: String) {
        guard let identifiers = SegmentEvent.identification(of: userID, on: device) else { return }
        report("identified", identifiers)
    }

    /// Sends what nobody waits for. What cannot be kept is counted; where nobody wants it, nothing is lost.
    private func report(_ action: String, _ identifiers: [String: String]) {
        do throws(SegmentEventError) { try send(action, type: nil, identifiers: identifiers, data: [:]) } catch {
            log(.debug, "segment event \(action) not sent: \(error)")
        }
    }
}
