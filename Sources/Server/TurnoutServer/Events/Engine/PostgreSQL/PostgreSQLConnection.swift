#if PostgreSQL
    import CPostgreSQL
    import LibC
    import TurnoutClient

    /// A connection to PostgreSQL. A call blocks the thread, but not for longer than its limit, except to look up the
    /// name of the server. The blocking functions of libpq would wait for a frozen server for ever.
    final class PostgreSQLConnection: Sendable {
        private let handle: Locked<OpaquePointer>
        private let server: String

        /// Connects.
        ///
        /// - Parameters:
        ///   - address: The address with its parameters, for libpq.
        ///   - server: The address for messages.
        ///   - limit: The longest time.
        /// - Throws: ``EngineError/failed(_:)``.
        init(_ address: String, _ server: String, within limit: Duration) throws(EngineError) {
            guard let handle = PQconnectStart(address) else {
                throw .failed("\(server): there is no memory for a connection")
            }
            self.handle = Locked(handle)
            self.server = server
            try call(within: limit) { call throws(EngineError) in try call.connect() }
        }

        deinit { handle.withLock { PQfinish($0) } }

        /// Whether the server has said nothing since the last call, such as that it ends.
        var isQuiet: Bool {
            handle.withLock { handle in
                var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
                return poll(&entry, 1, 0) == 0
            }
        }

        /// Runs statements, as one transaction.
        ///
        /// - Parameters:
        ///   - statements: The statements.
        ///   - limit: The longest time.
        ///   - data: The data for `COPY … FROM STDIN`. Default: none.
        ///   - receive: Receives each message of `COPY … TO STDOUT`. Default: they are ignored.
        /// - Throws: ``EngineError``. Then the connection cannot be used again.
        func run(
            _ statements: String, within limit: Duration, data: [UInt8] = [],
            receive: (UnsafeRawBufferPointer) -> Void = { _ in }
        ) throws(EngineError) {
            try call(within: limit) { call throws(EngineError) in try call.run(statements, data, receive) }
        }

        private func call(
            within limit: Duration, _ body: (PostgreSQLCall) throws(EngineError) -> Void
        ) throws(EngineError) {
            try handle.withLock { handle throws(EngineError) in
                try body(PostgreSQLCall(handle: handle, server: server, limit: limit, deadline: .now + limit))
            }
        }
    }

    /// A call with the connection of a handle.
    private struct PostgreSQLCall {
        private static let chunkSize = 256 << 10
        private static let maximumWords = 500
        /// `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, which are characters in C.
        private static let (code, message) = (Int32(UInt8(ascii: "C")), Int32(UInt8(ascii: "M")))

        let handle: OpaquePointer
        let server: String
        let limit: Duration
        let deadline: ContinuousClock.Instant

        func connect() throws(EngineError) {
            // Otherwise libpq prints notices.
            PQsetNoticeReceiver(handle, { _, _ in }, nil)
            var state = PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state != PGRES_POLLING_FAILED, PQstatus(handle) != CONNECTION_BAD else { throw failure }
                try wait(for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT)
                state = PQconnectPoll(handle)
            }
            PQsetnonblocking(handle, 1)
        }

        func run(
            _ statements: String, _ data: [UInt8], _ receive: (UnsafeRawBufferPointer) -> Void
        ) throws(EngineError) {
            guard PQsendQuery(handle, statements) == 1 else { throw failure }
            try flush()
            var problem: EngineError?
            while let result = try nextResult() {
                defer { PQclear(result) }
                switch PQresultStatus(result) {
                case PGRES_COMMAND_OK, PGRES_TUPLES_OK: break
                case PGRES_COPY_IN: try send(data)
                case PGRES_COPY_OUT: try receiveAll(receive)
                default: problem = problem ?? error(result)
                }
            }
            if let problem { throw problem }
        }

        private func nextResult() throws(EngineError) -> OpaquePointer? {
            while PQisBusy(handle) == 1 { try read() }
            return PQgetResult(handle)
        }

        private func send(_ data: [UInt8]) throws(EngineError) {
            for start in stride(from: 0, to: data.count, by: Self.chunkSize) {
                let chunk = data[start..<min(start + Self.chunkSize, data.count)]
                let isTaken = chunk.withUnsafeBytes {
                    PQputCopyData(handle, $0.assumingMemoryBound(to: CChar.self).baseAddress, Int32($0.count)) == 1
                }
                guard isTaken else { throw failure }
                try flush()
            }
            guard PQputCopyEnd(handle, nil) == 1 else { throw failure }
            try flush()
        }

        private func receiveAll(_ receive: (UnsafeRawBufferPointer) -> Void) throws(EngineError) {
            while true {
                var message: UnsafeMutablePointer<CChar>?
                switch PQgetCopyData(handle, &message, 1) {
                case 0: try read()
                case -1: return
                case let count where count > 0:
                    receive(UnsafeRawBufferPointer(start: message, count: Int(count)))
                    PQfreemem(message)
                default: throw failure
                }
            }
        }

        private func read() throws(EngineError) {
            try wait(for: POLLIN)
            guard PQconsumeInput(handle) == 1 else { throw failure }
        }

        private func flush() throws(EngineError) {
            while true {
                let rest = PQflush(handle)
                if rest == 0 { return }
                guard rest == 1 else { throw failure }
                try wait(for: POLLIN | POLLOUT)
                // The server may wait until its own messages are read.
                guard PQconsumeInput(handle) == 1 else { throw failure }
            }
        }

        private func wait(for events: Int32) throws(EngineError) {
            var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            repeat {
                let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
                if poll(&entry, 1, Int32(rest / .milliseconds(1)) + 1) > 0 { return }
            } while ContinuousClock.now < deadline
            throw .failed("\(server): no answer within \(limit.logText)")
        }

        // MARK: Errors

        private var failure: EngineError { .failed(words(PQerrorMessage(handle))) }

        /// The error of a statement. Classes of codes that are about the content of rows: data, constraints, limits,
        /// and what a trigger raises.
        private func error(_ result: OpaquePointer) -> EngineError {
            guard let code = PQresultErrorField(result, Self.code).map({ String(cString: $0) }) else {
                return .failed(words(PQresultErrorMessage(result)))
            }
            // Without the details, which have values of the row.
            let words = "\(words(PQresultErrorField(result, Self.message))) (\(code))"
            switch code {
            case "42P01": return .failed("\(words); create the tables: turnout engine setup")
            case "42703": return .failed("\(words); turnout engine setup --print has the columns of the tables")
            default: return ["22", "23", "54", "P0"].contains(code.prefix(2)) ? .refused(words) : .failed(words)
            }
        }

        private func words(_ text: UnsafePointer<CChar>?) -> String {
            let line = text.flatMap { String(cString: $0).split(whereSeparator: \.isNewline).first }
            return "\(server): \(line.map { $0.prefix(Self.maximumWords) } ?? "no text")"
        }
    }
#endif
