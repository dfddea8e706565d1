/// Answers the questions that browsers ask before they let a web page call the server.
package struct CORSPolicy: Sendable {
    private let options: CORSOptions
    private let allowsAll: Bool
    private let maximumAge: String
    private let exposedHeaders: String

    /// The request headers of the server's clients.
    private static let headers =
        "Accept, Authorization, Content-Type, If-Modified-Since, If-None-Match, Last-Event-ID, X-API-Key, "
        + "X-Optimizely-SDK-Key, X-Request-Id, X-Turnout-Impressions, traceparent"
    /// The response headers that pages may read, in addition to those they always can.
    private static let exposedHeaders = "ETag, Last-Modified, Retry-After, X-Request-Id"

    package init(_ options: CORSOptions) {
        self.options = options
        allowsAll = options.origins.contains("*")
        exposedHeaders = ([Self.exposedHeaders] + options.exposedHeaders).joined(separator: ", ")
        maximumAge = "\(Int64(options.maximumAge / .seconds(1)))"
    }

    /// Whether a request is a preflight: it asks whether another request is allowed.
    package static func isPreflight(_ head: RequestHead) -> Bool {
        head.method == "OPTIONS" && head.headers["Origin"] != nil
            && head.headers["Access-Control-Request-Method"] != nil
    }

    /// The answer to a preflight for a path with these methods.
    package func preflight(_ head: RequestHead, methods: [String]) -> ServerResponse {
        var response = ServerResponse(204)
        response.headers["Vary"] = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
        guard let origin = allowedOrigin(of: head) else { return response }
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Allow-Methods"] = methods.joined(separator: ", ")
        response.headers["Access-Control-Allow-Headers"] = allowedHeaders(for: head)
        response.headers["Access-Control-Max-Age"] = maximumAge
        return response
    }

    /// Adds the headers that let the page read a response.
    package func allow(_ head: RequestHead, _ headers: inout HeaderFields) {
        guard let origin = allowedOrigin(of: head) else { return }
        headers.append("Access-Control-Allow-Origin", origin)
        headers.append("Access-Control-Expose-Headers", exposedHeaders)
        if !allowsAll { headers.append("Vary", "Origin") }
    }

    private func allowedOrigin(of head: RequestHead) -> String? {
        guard let origin = head.headers["Origin"] else { return nil }
        if allowsAll { return "*" }
        return options.origins.contains(origin) ? origin : nil
    }

    private func allowedHeaders(for head: RequestHead) -> String {
        guard !options.headers.contains("*") else {
            return head.headers["Access-Control-Request-Headers"] ?? Self.headers
        }
        return ([Self.headers] + options.headers).joined(separator: ", ")
    }
}
