#if Redis
    import CHiredis

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// A socket to a server, the only place that calls hiredis. For one thread at a time.
    ///
    /// It never blocks but in `poll`, so that each step knows what is left of the time. hiredis connects, takes in
    /// what comes and cuts it into replies; it would write with a signal if the other side has gone.
    final class Channel {
        private let context: UnsafeMutablePointer<redisContext>
        /// How replies are made of what comes.
        private let making = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)

        /// The most bytes of a reply that is not complete; more is taken for nonsense.
        private static let sizeLimit = 64 << 20

        /// Connects.
        init(to address: RedisAddress, until deadline: ContinuousClock.Instant) throws(RedisError) {
            let context =
                switch address {
                case .host(let host, let port): redisConnectNonBlock(host, Int32(clamping: port))
                case .unixSocket(let path): redisConnectUnixNonBlock(path)
                }
            guard let context else { throw .broken("no memory for a connection") }
            self.context = context
            guard context.pointee.err == 0 else {
                throw context.pointee.err == REDIS_ERR_OTHER ? .broken("the host is not known") : .broken(Self.nobody)
            }
            redis_silence(context)
            limitArrays()
            _ = try wait(for: POLLOUT, until: deadline)
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard getsockopt(context.pointee.fd, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
                throw .broken(Self.nobody)
            }
        }

        private static let nobody = "nobody listens there"

        deinit {
            redisFree(context)
            making.deallocate()
        }

        private func limitArrays() {
            guard let reader = context.pointee.reader, let standard = reader.pointee.fn else { return }
            making.initialize(to: standard.pointee)
            making.pointee.createArray = redis_create_array
            reader.pointee.privdata = UnsafeMutableRawPointer(standard)
            reader.pointee.fn = making
        }

        /// Whether something came that nobody asked for, which includes the end of the connection.
        var hasUnexpectedInput: Bool {
            var entry = pollfd(fd: context.pointee.fd, events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) != 0
        }

        /// Sends commands in one piece and waits for all their replies.
        ///
        /// - Throws: If not all came; the connection must not be used again then.
        func exchange(
            _ request: [UInt8], replyCount: Int, until deadline: ContinuousClock.Instant
        ) throws(RedisError) -> [Reply] {
            var replies: [Reply] = []
            replies.reserveCapacity(replyCount)
            var sent = 0
            while true {
                // What a server says while it is still sent to must be taken, or both would wait for each other.
                if sent < request.count { sent += try send(request, from: sent) }
                while replies.count < replyCount, let reply = try nextReply() { replies.append(reply) }
                if replies.count == replyCount, sent == request.count { return replies }
                let events = try wait(for: sent < request.count ? POLLIN | POLLOUT : POLLIN, until: deadline)
                if events & (POLLIN | POLLHUP | POLLERR) != 0 { try receive() }
            }
        }

        /// Sends as much as the system takes now.
        private func send(_ request: [UInt8], from start: Int) throws(RedisError) -> Int {
            let count = request.withUnsafeBytes { bytes in
                redis_send(context, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            }
            if count >= 0 { return count }
            guard errno == EAGAIN || errno == EINTR else { throw .broken("the connection broke") }
            return 0
        }

        private func receive() throws(RedisError) {
            guard redisBufferRead(context) == REDIS_OK else {
                throw .broken("the connection broke before all was answered")
            }
            guard let reader = context.pointee.reader, reader.pointee.len <= Self.sizeLimit else {
                throw .broken("an answer is too large")
            }
        }

        /// Waits until something can be read or written. Which.
        private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(RedisError) -> Int32 {
            while true {
                let left = ContinuousClock.now.duration(to: deadline)
                guard left > .zero else { throw .late }
                var entry = pollfd(fd: context.pointee.fd, events: Int16(events), revents: 0)
                // A millisecond more, because parts of one do not count.
                let count = poll(&entry, 1, Int32(min(left, .seconds(3_600)) / .milliseconds(1)) + 1)
                if count > 0 { return Int32(entry.revents) }
                guard count == 0 || errno == EINTR else { throw .broken("the connection broke") }
            }
        }

        /// The next reply of those that came; nil: it is not complete.
        private func nextReply() throws(RedisError) -> Reply? {
            var reply: UnsafeMutableRawPointer?
            guard redisGetReplyFromReader(context, &reply) == REDIS_OK else {
                throw .broken("what came is not Redis's protocol")
            }
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
