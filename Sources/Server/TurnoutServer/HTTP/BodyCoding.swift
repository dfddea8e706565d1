import TurnoutClient

/// Expands compressed bodies of requests, which routes then see as if they had been sent without compression, and
/// compresses responses for clients that accept gzip.
package struct BodyCoding: Sendable {
    /// A shorter body fits a packet or two.
    private static let shortestBody = 1_024

    private let decompressor: (any Decompressor)?
    private let compress: (@Sendable ([UInt8]) -> [UInt8]?)?
    private let refused: RefusedBodies

    /// Creates a coding.
    ///
    /// - Parameters:
    ///   - decompressor: Expands. Default: nil, bodies are read as they are.
    ///   - refused: Counts what is refused. Default: a count of its own.
    ///   - compress: Compresses; returns nil if that fails. Default: nil, responses are sent as they are.
    package init(
        decompressor: (any Decompressor)? = nil, refused: RefusedBodies = RefusedBodies(),
        compress: (@Sendable ([UInt8]) -> [UInt8]?)? = nil
    ) {
        (self.decompressor, self.refused, self.compress) = (decompressor, refused, compress)
    }

    /// Expands the body of a request. The limit applies to the content, too: what would exceed it is not expanded
    /// further.
    ///
    /// - Returns: The refusal of a body that cannot be expanded: 415 for an unknown `Content-Encoding`, 400 for content
    ///   that does not match it, 413 if there is too much. Nil if the request can be answered.
    package func expand(_ request: inout ServerRequest, limit: BodyLimit) -> ServerResponse? {
        guard let decompressor, !request.body.isEmpty, let name = request.head.headers["Content-Encoding"],
            !name.equalsIgnoringCase("identity")
        else { return nil }
        guard let encoding = ContentEncoding.allCases.first(where: { name.equalsIgnoringCase($0.rawValue) }) else {
            refused.add(.unknownEncoding)
            var response = ServerResponse.text(415, "unknown Content-Encoding\n")
            response.headers["Accept-Encoding"] = ContentEncoding.allCases.map(\.rawValue).joined(separator: ", ")
            return response
        }
        do throws(DecompressionError) {
            request.body = try decompressor.decompress(request.body, encoding, limit: limit.size)
        } catch {
            switch error {
            case .tooLarge:
                refused.add(.tooLargeExpanded)
                return .text(413, "after expansion, \(limit.refusal.reason)\n")
            case .invalid:
                refused.add(.invalidCompression)
                return .text(400, "the body is not \(encoding.rawValue)\n")
            }
        }
        request.head.headers["Content-Encoding"] = nil
        request.head.headers["Content-Length"] = nil
        return nil
    }

    /// Compresses a response if it is long enough to gain from it. Bodies that responses share are compressed once,
    /// where they are made.
    package func compressed(_ response: ServerResponse, for head: RequestHead) -> ServerResponse {
        guard let compress, case .bytes(let bytes) = response.body, bytes.count >= Self.shortestBody,
            response.headers["Content-Encoding"] == nil, head.acceptsGzip, let body = compress(bytes)
        else { return response }
        var response = response
        response.body = .bytes(body)
        response.headers.append("Content-Encoding", "gzip")
        response.headers.append("Vary", "Accept-Encoding")
        return response
    }
}

/// Expands compressed content.
///
/// ``BodyCoding`` calls a decompressor for each request with a compressed body, on the thread of the listener
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

/// Counts the bodies that are refused before a route reads them. Nothing of them is kept: they cannot be read.
package final class RefusedBodies: Sendable {
    /// Why a body is refused.
    package enum Reason: String, Sendable, CaseIterable {
        /// It is compressed in a way that the server does not know. (415)
        case unknownEncoding = "unknown_encoding"
        /// It is not compressed as its header says, or incomplete. (400)
        case invalidCompression = "invalid_compression"
        /// It is too large after expansion. (413)
        case tooLargeExpanded = "too_large_expanded"
        /// It has events, but is not a JSON object, or is incomplete. (400)
        case malformedEvents = "malformed_events"
    }

    private let counts = Locked<[Reason: Int]>([:])

    package init() {}

    package func add(_ reason: Reason) { counts.withLock { $0[reason, default: 0] += 1 } }

    /// The number of bodies that were refused for a reason.
    package subscript(reason: Reason) -> Int { counts.withLock { $0[reason] ?? 0 } }
}
