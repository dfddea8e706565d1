/// Compresses the responses of another handler for clients that accept gzip, if they are long enough to gain from it.
package struct CompressingHandler: RequestHandler {
    /// A shorter body fits a packet or two.
    private static let shortestBody = 1_024

    private let handler: any RequestHandler
    private let compress: @Sendable ([UInt8]) -> [UInt8]?

    /// Creates a handler that compresses the responses of another one. `compress` returns nil if that fails.
    package init(_ handler: any RequestHandler, compress: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
        (self.handler, self.compress) = (handler, compress)
    }

    package func bodyLimit(for head: RequestHead) -> BodyLimit { handler.bodyLimit(for: head) }

    package func respond(to request: ServerRequest) -> Answer {
        let head = request.head
        return handler.respond(to: request).map { compressed($0, for: head) }
    }

    /// Bodies that responses share are compressed once, where they are made.
    private func compressed(_ response: ServerResponse, for head: RequestHead) -> ServerResponse {
        guard case .bytes(let bytes) = response.body, bytes.count >= Self.shortestBody,
            response.headers["Content-Encoding"] == nil, head.acceptsGzip, let body = compress(bytes)
        else { return response }
        var response = response
        response.body = .bytes(body)
        response.headers.append("Content-Encoding", "gzip")
        response.headers.append("Vary", "Accept-Encoding")
        return response
    }
}
