import Foundation

/// A response of the server.
///
/// ```swift
/// .status(503, headers: ["Retry-After": "2"])
/// .json(#"{"version":"4"}"#).after(.seconds(1))
/// .body(datafile).stopping(after: 100, by: .reset)
/// ```
package struct Reply: Sendable, Encodable {
    /// The state of the connection after a response.
    package enum Ending: String, Sendable, Encodable {
        /// The connection stays open for the next request.
        case keep
        /// The connection is closed.
        case close
        /// The connection is reset (RST).
        case reset
        /// The connection stays silent until the peer closes it.
        case stall
    }

    private var status = 200
    private var headers: [String: String] = [:]
    private var body = Data()
    private var zeros = 0
    private var isGzipped = false
    private var isChunked = false
    private var hasNoLength = false
    private var announcedLength: Int?
    private var delay = 0.0
    private var pieceSize = 0
    private var pause = 0.0
    private var stopAfter: Int?
    private var isSilent = false
    private var ending = Ending.keep
    private var raw: Data?

    // MARK: - Responses

    /// A status, headers and a body, with the length of the body.
    package static func status(_ status: Int, headers: [String: String] = [:], body: [UInt8] = []) -> Reply {
        var reply = Reply()
        reply.status = status
        reply.headers = headers
        reply.body = Data(body)
        return reply
    }

    /// 200 with a body.
    package static func body(_ body: [UInt8]) -> Reply { .status(200, body: body) }

    /// 200 with JSON.
    package static func json(_ text: String) -> Reply {
        .status(200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    /// 200 with a number of zero bytes.
    package static func zeros(_ count: Int) -> Reply {
        var reply = Reply()
        reply.zeros = count
        return reply
    }

    /// A redirect.
    package static func redirect(_ status: Int = 302, to address: String) -> Reply {
        .status(status, headers: ["Location": address])
    }

    /// These bytes as they are; then the connection is closed.
    package static func raw(_ text: String) -> Reply {
        var reply = Reply()
        reply.raw = Data(text.utf8)
        reply.ending = .close
        return reply
    }

    // MARK: - No response

    /// No response, ever.
    package static var stall: Reply { silent(.stall) }
    /// No response; the connection is reset.
    package static var reset: Reply { silent(.reset) }
    /// No response; the connection is closed.
    package static var close: Reply { silent(.close) }

    private static func silent(_ ending: Ending) -> Reply {
        var reply = Reply()
        reply.isSilent = true
        reply.ending = ending
        return reply
    }

    // MARK: - Changes

    /// Delayed.
    package func after(_ delay: Duration) -> Reply { with { $0.delay = delay / .seconds(1) } }

    /// Compressed. Lengths and counts refer to the compressed data.
    package var gzipped: Reply { with { $0.isGzipped = true } }

    /// In chunks: one chunk, or chunks of a size.
    package func chunked(_ size: Int = 0) -> Reply {
        with {
            $0.isChunked = true
            $0.pieceSize = size
        }
    }

    /// In pieces of a size, with pauses.
    package func dripping(_ size: Int = 1, every pause: Duration) -> Reply {
        with {
            $0.pieceSize = size
            $0.pause = pause / .seconds(1)
        }
    }

    /// With a wrong length of the body. Without chunks.
    package func announcing(_ length: Int) -> Reply { with { $0.announcedLength = length } }

    /// Without a length; the body ends with the connection.
    package var withoutLength: Reply { with { $0.hasNoLength = true } }

    /// With a part of the body only; the length is that of the whole.
    package func stopping(after count: Int, by ending: Ending = .close) -> Reply {
        with {
            $0.stopAfter = count
            $0.ending = ending
        }
    }

    /// With another state of the connection after the response.
    package func then(_ ending: Ending) -> Reply { with { $0.ending = ending } }

    private func with(_ change: (inout Reply) -> Void) -> Reply {
        var reply = self
        change(&reply)
        return reply
    }
}
