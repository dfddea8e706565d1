/// Expands compressed bodies of requests for another handler, which sees them as if they had been sent without
/// compression.
///
/// ``RequestHandler/bodyLimit(for:)`` of the other handler applies before and after expansion: content that would
/// exceed it is not expanded further, and the response is 413. The response to an unknown `Content-Encoding` is 415,
/// and to content that does not match its `Content-Encoding`, 400.
package struct InflatingHandler: RequestHandler {
    private let handler: any RequestHandler
    private let decompressor: any Decompressor
    private let refused: RefusedBodies

    /// Creates a handler that expands bodies for another one.
    ///
    /// - Parameters:
    ///   - handler: The other handler.
    ///   - decompressor: Expands.
    ///   - refused: Counts what is refused. Default: a count of its own.
    package init(
        _ handler: any RequestHandler, _ decompressor: any Decompressor, refused: RefusedBodies = RefusedBodies()
    ) {
        self.handler = handler
        self.decompressor = decompressor
        self.refused = refused
    }

    package func bodyLimit(for head: RequestHead) -> BodyLimit { handler.bodyLimit(for: head) }

    package func respond(to request: ServerRequest) -> Answer {
        guard !request.body.isEmpty, let name = request.head.headers["Content-Encoding"],
            !name.equalsIgnoringCase("identity")
        else { return handler.respond(to: request) }
        guard let encoding = ContentEncoding.allCases.first(where: { name.equalsIgnoringCase($0.rawValue) }) else {
            refused.add(.unknownEncoding)
            var response = ServerResponse.text(415, "unknown Content-Encoding\n")
            response.headers["Accept-Encoding"] = ContentEncoding.allCases.map(\.rawValue).joined(separator: ", ")
            return .now(response)
        }
        var request = request
        let limit = bodyLimit(for: request.head)
        do throws(DecompressionError) {
            request.body = try decompressor.decompress(request.body, encoding, limit: limit.size)
        } catch {
            switch error {
            case .tooLarge:
                refused.add(.tooLargeExpanded)
                return .now(.text(413, "after expansion, \(limit.refusal.reason)\n"))
            case .invalid:
                refused.add(.invalidCompression)
                return .now(.text(400, "the body is not \(encoding.rawValue)\n"))
            }
        }
        request.head.headers["Content-Encoding"] = nil
        request.head.headers["Content-Length"] = nil
        return handler.respond(to: request)
    }
}

/// Expands compressed content.
///
/// ``InflatingHandler`` calls a decompressor for each request with a compressed body, on the thread of the listener
/// that handles the request. Calls overlap. Other connections of the thread wait meanwhile, so the time must be limited
/// by the size of the body and the limit. The content is untrusted: whatever it is, the call returns or throws. After
/// an error the request is answered with status 413 or 400, and counted.
package protocol Decompressor: Sendable {
    /// Expands content.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - encoding: How it is compressed.
    ///   - limit: The maximum number of expanded bytes. Neither more time nor more memory is spent on larger content.
    /// - Returns: The expanded content.
    /// - Throws: ``DecompressionError``.
    func decompress(
        _ bytes: [UInt8], _ encoding: ContentEncoding, limit: Int
    ) throws(DecompressionError) -> [UInt8]
}

/// The compressions of requests. (RFC 9110, section 8.4.1)
package enum ContentEncoding: String, Sendable, CaseIterable {
    /// gzip. (RFC 1952)
    case gzip
    /// zlib (RFC 1950), or its content alone (RFC 1951), which some clients send under this name.
    case deflate
}

/// Why content cannot be expanded.
package enum DecompressionError: Error {
    /// It would be larger than the limit.
    case tooLarge
    /// It is not compressed as it says, or incomplete.
    case invalid
}
