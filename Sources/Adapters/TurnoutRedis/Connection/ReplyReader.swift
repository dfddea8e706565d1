#if Redis
    import CHiredis
    import TurnoutSockets

    /// Parses replies, the only code that calls hiredis. Only hiredis's parser is used, not its sockets: hiredis tries
    /// only one address of a host, supports TLS only in newer versions, and raises SIGPIPE when it writes to a closed
    /// connection.
    final class ReplyReader: ResponseReader {
        private let reader: UnsafeMutablePointer<redisReader>
        /// The functions that create reply objects.
        private let making = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        /// The cumulative number of replies after each part of the request.
        private let counts: [Int]
        private(set) var replies: [Reply] = []
        private(set) var completedParts = 0

        /// The size limit for an incomplete reply.
        private static let sizeLimit = 64 << 20

        /// Creates a reader that expects `counts` replies to the parts of a request.
        init(_ counts: [Int]) throws(StreamError) {
            guard let reader = redisReaderCreate() else {
                making.deallocate()
                throw StreamError(.unreachable, "no memory for a connection")
            }
            self.reader = reader
            var sum = 0
            self.counts = counts.map { count in
                sum += count
                return sum
            }
            replies.reserveCapacity(min(sum, batchSize))
            guard let standard = reader.pointee.fn else { return }
            making.initialize(to: standard.pointee)
            making.pointee.createArray = redis_create_array
            reader.pointee.privdata = UnsafeMutableRawPointer(mutating: standard)
            reader.pointee.fn = making
        }

        deinit {
            redisReaderFree(reader)
            making.deallocate()
        }

        func take(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
            let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            guard redisReaderFeed(reader, start, bytes.count) == REDIS_OK else { throw Self.noRedis }
            while let reply = try next() {
                guard completedParts < counts.count else { throw Self.tooMuch }
                replies.append(reply)
                while completedParts < counts.count, replies.count >= counts[completedParts] { completedParts += 1 }
            }
            let rest = reader.pointee.len - min(reader.pointee.len, reader.pointee.pos)
            guard rest == 0 || completedParts < counts.count else { throw Self.tooMuch }
            guard rest <= Self.sizeLimit else { throw StreamError(.invalidResponse, "a reply is too large") }
        }

        private static let noRedis = StreamError(.invalidResponse, "the server does not speak Redis's protocol")
        private static let tooMuch = StreamError(.invalidResponse, "the server sent more replies than commands")

        /// The next reply, or nil if it is not complete.
        private func next() throws(StreamError) -> Reply? {
            var reply: UnsafeMutableRawPointer?
            guard redisReaderGetReply(reader, &reply) == REDIS_OK else { throw Self.noRedis }
            guard let reply else { return nil }
            defer { freeReplyObject(reply) }
            return Reply(reply.assumingMemoryBound(to: redisReply.self).pointee)
        }
    }

    extension Reply {
        fileprivate init(_ reply: redisReply) {
            switch reply.type {
            case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self.init(Self.bytes(of: reply))
            case REDIS_REPLY_ERROR: self = .error(String(decoding: Self.bytes(of: reply), as: UTF8.self))
            case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
            case REDIS_REPLY_ARRAY:
                let elements = UnsafeBufferPointer(
                    start: reply.element, count: reply.element == nil ? 0 : reply.elements)
                self = .array(elements.map { $0.map { Reply($0.pointee) } ?? .null })
            default: self = .null
            }
        }

        private static func bytes(of reply: redisReply) -> UnsafeBufferPointer<UInt8> {
            let start = UnsafeRawPointer(reply.str)?.assumingMemoryBound(to: UInt8.self)
            return UnsafeBufferPointer(start: start, count: start == nil ? 0 : reply.len)
        }
    }
#endif
