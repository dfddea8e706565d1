import TurnoutClient

/// Passes requests of clients on to the hub, which alone has lists, devices, segments and results.
final class HubRelay: Sendable {
    /// The path of queries for segments.
    static let queryPath = "/v3/graphql"
    /// The headers that are passed on, beside the address of the client.
    private static let headers = ["Authorization", "Content-Type", "Accept", "If-None-Match", "x-api-key"]

    private let address: String
    private let transport: any Transport
    private let queryTime: Duration
    private let messages: any Log
    /// Why the last request failed.
    private let problem = Locked<String?>(nil)

    /// `queryTime`: the time limit of queries for segments.
    init(_ address: String, over transport: any Transport, queryTime: Duration, messages: any Log) {
        (self.address, self.transport, self.queryTime, self.messages) = (address, transport, queryTime, messages)
    }

    /// Routes with the same requests, which the hub answers.
    func routes(_ routes: [Route]) -> [Route] {
        routes.map { route in
            Route(
                route.method, route.pattern, route.summary, bodyLimit: route.bodyLimit, access: route.access
            ) { request in
                guard let method = HTTPRequest.Method(rawValue: route.method) else {
                    return .now(.error(409, "this server is a spoke: send the request to its hub, \(self.address)"))
                }
                return .later { await self.pass(request, method) }
            }
        }
    }

    private func pass(_ request: ServerRequest, _ method: HTTPRequest.Method) async -> ServerResponse {
        let head = request.head
        let query = head.query.parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }
        // With it, the hub does not take a client of this machine for one of its own.
        var headers = ["X-Forwarded-For": head.remoteAddress]
        for name in Self.headers { headers[name] = head.headers[name] }
        let message = HTTPRequest(
            method, address + head.path + (query.isEmpty ? "" : "?" + query.joined(separator: "&")),
            headers: headers, body: request.body, deadline: head.path == Self.queryPath ? queryTime : .seconds(30))
        do {
            let response = try await transport.send(message)
            problem.withLock { $0 = nil }
            var answer = ServerResponse(response.status, body: .bytes(response.body))
            for name in ["Content-Type", "ETag", "Last-Modified", "Retry-After"] {
                answer.headers[name] = response.headers[name.lowercased()]
            }
            return answer
        } catch {
            let earlier = problem.withLock { problem in
                defer { problem = error.logText }
                return problem
            }
            if earlier != error.logText { messages.failure(.warning, "hub: a request was not passed on", error) }
            var answer = ServerResponse.error(503, "this server is a spoke, and its hub cannot be reached")
            answer.headers["Retry-After"] = "5"
            return answer
        }
    }
}
