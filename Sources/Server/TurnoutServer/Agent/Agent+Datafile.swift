import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `GET /v1/datafile`: the datafile as it is served everywhere.
    func datafile(_ call: AgentCall) -> ServerResponse {
        let served = call.client.served
        return Self.response(served.content, tag: served.entityTag, to: call.request)
    }

    /// `GET /v1/config`: the contents of the datafile.
    func config(_ call: AgentCall) -> ServerResponse {
        let (served, body) = call.client.listing { ProjectListing($0).json }
        // A different representation of the same content has a tag of its own.
        let tag = served.entityTag.dropLast() + "-config\""
        return Self.response(body, tag: String(tag), to: call.request)
    }

    private static func response(_ body: SharedBody, tag: String, to request: ServerRequest) -> ServerResponse {
        guard !EntityTag.isNamed(tag, in: request.head) else { return ServerResponse(304, headers: ["ETag": tag]) }
        return ServerResponse(
            200, headers: ["Content-Type": "application/json; charset=utf-8", "ETag": tag], body: .shared(body))
    }
}
