#if Curl && os(Linux)
    import TurnoutClient

    /// A pending request. It ends with the complete response, an error, the deadline, or the cancellation of the
    /// waiting task, whichever comes first. That of a stream continues after the head, until its body is no longer
    /// read.
    final class CurlExchange: Sendable {
        let request: HTTPRequest
        let options: TransportOptions
        /// Receives the body of a stream; nil if the response is collected.
        let body: BodyWriter?
        private let limit: ContinuousClock.Instant
        /// The response; that of a stream has no body.
        private let result = OneShot<Result<HTTPResponse, any Error>>()
        private let isBodyClosed = Locked(false)

        init(_ request: HTTPRequest, _ options: TransportOptions, body: BodyWriter? = nil) {
            self.request = request
            self.options = options
            self.body = body
            // Longer deadlines would overflow.
            limit = .now.advanced(by: min(request.deadline, .seconds(366 * 86_400)))
        }

        /// When the exchange has to be over, or nil once the head of a stream has arrived.
        var deadline: ContinuousClock.Instant? { body != nil && result.isEnded ? nil : limit }

        /// Whether the deadline has passed.
        func isOverdue(_ now: ContinuousClock.Instant) -> Bool { deadline.map { $0 <= now } ?? false }

        /// The error at the deadline.
        var deadlineError: TransportError {
            TransportError(
                .deadlineExceeded, "no complete response from \(request.authority) within \(request.deadline.logText)")
        }

        /// Waits for the response, or for the head of a stream.
        func response() async throws -> HTTPResponse {
            guard let result = await result.value() else { throw CancellationError() }
            return try result.get()
        }

        /// Ends the exchange, unless it is over.
        func end(_ result: Result<HTTPResponse, any Error>) {
            let isFirst = self.result.end(result)
            guard let body else { return }
            isBodyClosed.withLock { $0 = true }
            switch result {
            case .failure(let error) where !isFirst: body.end(throwing: error)
            default: body.end()
            }
        }

        /// Whether the exchange is over.
        var isOver: Bool { body == nil ? result.isEnded : isBodyClosed.withLock { $0 } }

        // MARK: Streams

        /// The head of a stream has arrived.
        func received(head: HTTPResponse) { result.end(.success(head)) }

        /// A piece of the body of a stream has arrived. Returns false if the exchange is over.
        func received(_ piece: [UInt8], in body: BodyWriter) -> Bool {
            do throws(TransportError) { return try body.add(piece, from: request.authority) } catch {
                end(.failure(error))
                return false
            }
        }
    }

    /// A response as it arrives.
    struct ResponseParts {
        private var headers: [String: String] = [:]
        private var lastName: String?
        private var body: [UInt8] = []
        private let limit: Int
        private var headSize = 0
        private(set) var status = 0
        /// Whether the whole head has arrived.
        private(set) var hasHead = false
        /// The part that exceeds its limit of bytes, or nil.
        private(set) var excess: (part: String, limit: Int)?

        init(limit: Int) { self.limit = limit }

        // More than servers send. Not all versions of libcurl limit the size of a head.
        private static let longestHead = 256 * 1_024

        /// Adds a line of the head, including its line end. Returns false if the head is too large.
        mutating func add(line bytes: UnsafeRawBufferPointer) -> Bool {
            headSize += bytes.count
            if excess == nil, headSize > Self.longestHead { excess = ("head", Self.longestHead) }
            if excess == nil { read(line: bytes) }
            return excess == nil
        }

        private mutating func read(line bytes: UnsafeRawBufferPointer) {
            let end = bytes.lastIndex { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
            let line = String(decoding: bytes[..<(end.map { $0 + 1 } ?? 0)], as: UTF8.self)
            if line.hasPrefix("HTTP/") {
                // The previous head was an interim one.
                (headers, lastName, hasHead) = ([:], nil, false)
                status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            } else if hasHead {
                // Trailers are not part of the head.
            } else if line.isEmpty {
                hasHead = true
                if declaresTooMuch { excess = ("body", limit) }
            } else if line.first == " " || line.first == "\t" {
                if let lastName { headers[lastName]? += " " + line.trimmingBlanks }
            } else if let colon = line.firstIndex(of: ":") {
                add(line[..<colon].lowercased(), String(line[line.index(after: colon)...]).trimmingBlanks)
            }
        }

        /// Whether the body will be too large, so the transfer can end now. Some heads contain the length of a body
        /// that is not sent.
        private var declaresTooMuch: Bool {
            guard status >= 200, status != 204, status != 304, let length = headers["content-length"] else {
                return false
            }
            return Int(length).map { $0 > limit } ?? true
        }

        private mutating func add(_ name: String, _ value: String) {
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
            lastName = name
        }

        /// Adds a decompressed piece of the body. Returns false if the body is too large.
        mutating func add(body piece: UnsafeRawBufferPointer) -> Bool {
            guard piece.count <= limit - body.count else {
                excess = ("body", limit)
                return false
            }
            body.append(contentsOf: piece)
            return true
        }

        func response(status: Int) -> HTTPResponse { HTTPResponse(status: status, headers: headers, body: body) }
    }
#endif
