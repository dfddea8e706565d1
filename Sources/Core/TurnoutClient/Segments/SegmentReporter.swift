/// Creates segment events about users and this device, and queues them.
final class SegmentReporter: Sendable {
    let queue: SegmentEventQueue
    /// The platform that receives all events; nil: the one in the datafile.
    private let service: OdpService?
    private let device: String?
    private let origin: SegmentEventOrigin
    private let random: any RandomSource
    private let log: any Log
    /// Held while a datafile takes effect.
    private let updating = Locked(())

    /// Creates a reporter. If the device has an id, its first event announces the device.
    init(
        queue: SegmentEventQueue, service: OdpService?, device: String?, origin: SegmentEventOrigin,
        random: any RandomSource, log: any Log
    ) {
        (self.queue, self.service, self.device, self.origin) = (queue, service, device, origin)
        (self.random, self.log) = (random, log)
        if let service { queue.update(to: .service(service)) }
        if device != nil { report("client_initialized", [:]) }
    }

    /// Uses the newest datafile from now on. `newest` is called under the lock, so that the last caller sees the newest
    /// datafile.
    func update(to newest: () -> Project?) {
        guard service == nil else { return }
        updating.withLock { _ in queue.update(to: SegmentEventDestination(of: newest())) }
    }

    /// Creates an event from the program's data, and queues it.
    func send(
        _ action: String, type: String?, identifiers: [String: String], data: [String: AttributeValue]
    ) throws(SegmentEventError) {
        guard queue.destination != .noPlatform else { throw .noService }
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

    /// Links a user to this device, if both have an id.
    func identify(_ userID: String) {
        guard let identifiers = SegmentEvent.identification(of: userID, on: device) else { return }
        report("identified", identifiers)
    }

    /// Sends an event without reporting errors to the caller. Losses are counted.
    private func report(_ action: String, _ identifiers: [String: String]) {
        do throws(SegmentEventError) { try send(action, type: nil, identifiers: identifiers, data: [:]) } catch {
            log(.debug, "segment event \(action): \(error)")
        }
    }
}

/// The destination of segment events.
package enum SegmentEventDestination: Sendable, Equatable {
    /// There is no datafile yet. Events are queued.
    case unknown
    /// The datafile has no platform. Events are dropped.
    case noPlatform
    /// The service in the datafile.
    case service(OdpService)

    /// The destination for a datafile; nil if there is no datafile.
    package init(of project: Project?) {
        guard let project else {
            self = .unknown
            return
        }
        self = OdpService(of: project).map { .service($0) } ?? .noPlatform
    }
}
