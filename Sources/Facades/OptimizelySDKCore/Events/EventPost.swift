import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension OutgoingEvent {
    /// An event as a client hands it to a dispatcher; nil: it is no JSON object.
    init?(parameters: [AnyHashable: Any]) {
        let members = Dictionary(parameters.compactMap { key, value in (key as? String).map { ($0, value) } }) { $1 }
        guard members.count == parameters.count, let payload = JSONValue.object(members) else { return nil }
        var writer = JSONWriter()
        writer.value(payload)
        let isEuropean = payload["region"] == .string(Project.Region.eu.rawValue)
        self.init(group: Group(region: isEuropean ? .eu : .us, envelope: ""), visitor: writer.bytes)
    }
}

/// The request that one event is.
struct EventPost {
    /// What became of it.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: NSError?
        /// What the answer means for the event; nil: there was none.
        var reply: EventReply?
    }

    private let event: OutgoingEvent

    init(_ event: OutgoingEvent) { self.event = event }

    /// Sends the event, once.
    func outcome(over transport: (any Transport)?) async -> Outcome {
        let options = EventOptions()
        let address = options.endpoints[event.group.region]
        let request = HTTPRequest(
            .post, address, headers: ["Content-Type": "application/json"], body: event.payload,
            deadline: options.requestDeadline)
        do {
            guard let transport else { throw TransportError(.unreachable, "no network transport") }
            let answer = try await transport.send(request)
            let response = URL(string: address).flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers)
            }
            let error =
                answer.isSuccess
                ? nil : OPTLYErrorTypes.httpRequestManager.error("the receiver of events answered \(answer.status)")
            return Outcome(
                data: Data(answer.body), response: response, error: error, reply: EventReply(answer, count: 1))
        } catch {
            return Outcome(error: OPTLYErrorTypes.httpRequestManager.error("the event did not arrive: \(error)"))
        }
    }
}
