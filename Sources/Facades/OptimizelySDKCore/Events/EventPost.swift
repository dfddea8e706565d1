import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension OutgoingEvent {
    /// The error for an event that is not a JSON object.
    static var notJSON: NSError {
        OPTLYErrorTypes.eventDispatch.error("the event was not sent: its parameters are not a JSON object")
    }

    /// Converts an event that a client passes to a dispatcher; nil if it is not a JSON object.
    init?(parameters: [AnyHashable: Any]) {
        let members = Dictionary(parameters.compactMap { key, value in (key as? String).map { ($0, value) } }) { $1 }
        guard members.count == parameters.count, let payload = JSONValue.object(members) else { return nil }
        let region: Project.Region = payload["region"] == .string(Project.Region.eu.rawValue) ? .eu : .us
        let group = Group(region: region, envelope: "", address: EventAddresses()[region])
        self.init(group: group, visitor: Array(payload.compactText.utf8))
    }
}

/// The request for one event.
struct EventPost {
    /// The result of the request.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: NSError?
        /// The meaning of the response for the event; nil if there was none.
        var reply: EventReply?
        /// Why there was no response.
        var failure: TransportError?
        /// Whether the URL was rejected before anything was sent.
        var isBadAddress: Bool { failure?.code == .badAddress }
    }

    private let event: OutgoingEvent

    init(_ event: OutgoingEvent) { self.event = event }

    /// The address of the event; for events of earlier versions, the process-wide endpoint of the module `Optimizely`.
    private var address: String { event.group.address ?? EventAddresses()[event.group.region] }

    /// Makes one attempt to send the event.
    func outcome(over transport: (any Transport)?) async -> Outcome {
        let request = HTTPRequest(
            .post, address, headers: ["Content-Type": "application/json"], body: event.payload,
            deadline: EventOptions().requestDeadline)
        do {
            guard let transport else { throw TransportError(.unreachable, "this build has no network transport") }
            let received = try await transport.send(request)
            let response = URL(string: address).flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: received.status, httpVersion: "HTTP/1.1", headerFields: received.headers)
            }
            let error =
                received.isSuccess
                ? nil
                : OPTLYErrorTypes.httpRequestManager.error(
                    "the event receiver responded with HTTP status \(received.status)")
            return Outcome(
                data: Data(received.body), response: response, error: error, reply: EventReply(received, count: 1))
        } catch {
            return Outcome(
                error: OPTLYErrorTypes.httpRequestManager.error("the event was not delivered: \(error)"),
                failure: error as? TransportError)
        }
    }
}
