package import TurnoutClient
import TurnoutEngine

/// The place of a request in a distributed trace: the header `traceparent` of W3C Trace Context.
package struct TraceContext: Sendable, Equatable {
    /// The name of the header.
    package static let header = "traceparent"

    /// The id of the trace: 32 hexadecimal digits.
    package let traceID: String
    /// The id of the caller's span: 16 hexadecimal digits.
    package let spanID: String
    /// The flags: two hexadecimal digits.
    package let flags: String

    /// Reads a header; nil if it is invalid, and the trace is then not continued.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        // Later versions may have more parts, version 00 has four.
        guard parts.count >= 4, parts.map(\.utf8.count).starts(with: [2, 32, 16, 2]), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy(\.isLowercaseHexadecimal) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        (traceID, spanID, flags) = (String(parts[1]), String(parts[2]), String(parts[3]))
    }

    private init(traceID: String, spanID: String, flags: String) {
        (self.traceID, self.spanID, self.flags) = (traceID, spanID, flags)
    }

    /// The context for requests that the server sends in turn, with a new span.
    package func child(_ random: any RandomSource) -> TraceContext {
        TraceContext(traceID: traceID, spanID: max(1, random.next()).hexadecimal(width: 16), flags: flags)
    }

    package var text: String { "00-\(traceID)-\(spanID)-\(flags)" }
}

extension UInt8 {
    fileprivate var isLowercaseHexadecimal: Bool { 0x30...0x39 ~= self || 0x61...0x66 ~= self }
}

/// A transport that adds the trace of the request that is being answered to each request it sends, but not to streams,
/// which outlast it.
package struct TraceForwardingTransport: StreamingTransport {
    private let transport: any StreamingTransport

    package init(_ transport: any StreamingTransport) { self.transport = transport }

    package func stream(_ request: HTTPRequest) async throws -> StreamedResponse {
        try await transport.stream(request)
    }

    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let trace = TraceContext.current else { return try await transport.send(request) }
        var request = request
        request.headers[TraceContext.header] = trace.text
        return try await transport.send(request)
    }
}

extension TraceContext {
    /// The trace of the request that the current task answers, for requests that it sends in turn. Task-local, because
    /// transports are shared by all requests and their protocol knows nothing of traces.
    @TaskLocal static var current: TraceContext?
}
