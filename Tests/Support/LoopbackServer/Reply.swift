import Foundation

/// How the server answers a request.
///
/// ```swift
/// .status(503, headers: ["Retry-After": "2"])
/// .json(#"{"version":"4"}"#).after(.seconds(1))
/// .body(datafile).stopping(after: 100, by: .reset)
/// ```
package struct Reply: Sendable, Encodable {
    /// What happens to the connection after an answer.
    package enum Ending: String, Sendable, Encodable {
        /// The next request may come.
        case keep
        /// It is closed, without a word.
        case close
        /// It is torn down: the other end is told of an error (RST).
        case reset
        /// Nothing, until the other end closes.
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

    // MARK: - Answers

    /// A status, headers and a body. The length of the body is announced.
    package static func status(_ status: Int, headers: [String: String] = [:], body: [UInt8] = []) -> Reply {
        var reply = Reply()
        reply.status = status
        reply.headers = headers
        reply.body = Data(body)
        return reply
    }

    /// 200 and a body.
    package static func body(_ body: [UInt8]) -> Reply { .status(200, body: body) }

    /// 200 and JSON.
    package static func json(_ text: String) -> Reply {
        .status(200, headers: ["Content-Type": "application/json"], body: Array(text.utf8))
    }

    /// 200 and that many bytes, all zero.
    package static func zeros(_ count: Int) -> Reply {
        var reply = Reply()
        reply.zeros = count
        return reply
    }

    /// Somewhere else.
    package static func redirect(_ status: Int = 302, to address: String) -> Reply {
        .status(status, headers: ["Location": address])
    }

    /// These bytes instead of an answer; then the connection is closed.
    package static func raw(_ text: String) -> Reply {
        var reply = Reply()
        reply.raw = Data(text.utf8)
        reply.ending = .close
        return reply
    }

    // MARK: - No answer

    /// No answer, ever.
    package static var stall: Reply { silent(.stall) }
    /// No answer; the connection is torn down.
    package static var reset: Reply { silent(.reset) }
    /// No answer; the connection is closed.
    package static var close: Reply { silent(.close) }

    private static func silent(_ ending: Ending) -> Reply {
        var reply = Reply()
        reply.isSilent = true
        reply.ending = ending
        return reply
    }

    // MARK: - Changes

    /// The same, but later.
    package func after(_ delay: Duration) -> Reply { with { $0.delay = delay / .seconds(1) } }

    /// The same, compressed. What is announced or counted then is what is sent.
    package var gzipped: Reply { with { $0.isGzipped = true } }

    /// The same, in chunks: as one, or as pieces of a size.
    package func chunked(_ size: Int = 0) -> Reply {
        with {
            $0.isChunked = true
            $0.pieceSize = size
        }
    }

    /// The same, in pieces of a size, one at a time.
    package func dripping(_ size: Int = 1, every pause: Duration) -> Reply {
        with {
            $0.pieceSize = size
            $0.pause = pause / .seconds(1)
        }
    }

    /// The same, but another length of the body is announced than it has. Without chunks.
    package func announcing(_ length: Int) -> Reply { with { $0.announcedLength = length } }

    /// The same, but the end of the body is the end of the connection.
    package var withoutLength: Reply { with { $0.hasNoLength = true } }

    /// The same, but only so many bytes of the body; the length of all of it is announced.
    package func stopping(after count: Int, by ending: Ending = .close) -> Reply {
        with {
            $0.stopAfter = count
            $0.ending = ending
        }
    }

    /// The same, and then something happens to the connection, without a word.
    package func then(_ ending: Ending) -> Reply { with { $0.ending = ending } }

    private func with(_ change: (inout Reply) -> Void) -> Reply {
        var reply = self
        change(&reply)
        return reply
    }
}
