#if Server
    import CMicrohttpd
    import TurnoutClient
    import TurnoutServer

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// A thread that reads requests and writes responses with libmicrohttpd. The only code that calls the library.
    ///
    /// It is given connections that were accepted elsewhere, so that they can be limited and counted. The thread is not
    /// the library's: that of version 0.9 waits for a further event when a multiple of 128 connections are ready.
    final class Daemon: Sendable {
        /// A connection that the thread has not taken yet.
        private struct NewConnection {
            let connection: HTTPConnection
            let address: sockaddr_storage
            let size: socklen_t
        }

        private struct State {
            var new: [NewConnection] = []
            var isStarted = false
            var isRetired = false
            var isStopping = false
        }

        /// The argument of the callbacks.
        private final class Context: Sendable {
            let connections: ConnectionTable
            /// Wakes the thread.
            let event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            /// The messages of the library while it starts.
            let messages = Locked<[String]?>([])

            init(_ connections: ConnectionTable) { self.connections = connections }

            deinit { if event >= 0 { close(event) } }
        }

        private let address: UInt
        private let context: Context
        private let state = Locked(State())
        private let ended = OneShot<Void>()

        /// Prepares the library.
        ///
        /// - Throws: ``ListenerError`` with the library's reason.
        init(certificate: Certificate?, connections: ConnectionTable) throws(ListenerError) {
            context = Context(connections)
            let limits = connections.limits
            var settings = DaemonSettings()
            settings.connections = UInt32(clamping: limits.connections + 1)
            // Also for the responses' headers, which the library puts into the same memory.
            settings.memory = limits.headerSize + 2 << 10
            settings.idle_seconds = UInt32(clamping: max(1, limits.idleTime.components.seconds))
            let callbacks = Self.callbacks(Unmanaged.passUnretained(context).toOpaque())
            let pointer =
                if let certificate {
                    certificate.key.withCString { key in
                        certificate.chain.withCString { chain in
                            (settings.key, settings.certificate) = (key, chain)
                            return daemon_start(settings, callbacks)
                        }
                    }
                } else { daemon_start(settings, callbacks) }
            let messages = context.messages.withLock { messages in
                defer { messages = nil }
                return messages ?? []
            }
            guard let pointer, context.event >= 0 else {
                MHD_stop_daemon(pointer)
                let reason = messages.isEmpty ? "no reason given" : messages.joined(separator: "; ")
                throw ListenerError("libmicrohttpd could not be started: \(reason)")
            }
            address = UInt(bitPattern: pointer)
        }

        deinit { if !state.withLock({ $0.isStarted }) { MHD_stop_daemon(pointer) } }

        private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

        /// Starts the thread.
        func start() {
            state.withLock { $0.isStarted = true }
            WorkThread.run { self.run() }
        }

        /// Hands a connection over, whose socket is closed by the thread.
        func add(_ connection: HTTPConnection, _ address: sockaddr_storage, _ size: socklen_t) {
            state.withLock { $0.new.append(NewConnection(connection: connection, address: address, size: size)) }
            eventfd_write(context.event, 1)
        }

        /// Ends the thread when its connections have ended. It must get no further ones.
        func retire() {
            state.withLock { $0.isRetired = true }
            eventfd_write(context.event, 1)
        }

        /// Whether the thread has ended.
        var hasEnded: Bool { ended.isEnded }

        /// Closes all connections and ends the thread. No connection may be suspended. Blocks.
        func stop() {
            state.withLock { $0.isStopping = true }
            eventfd_write(context.event, 1)
            ended.blockingValue()
        }

        // MARK: The thread

        private func run() {
            // Writing to a broken connection must fail instead of ending the process.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            var polled = [daemon_descriptor(pointer), context.event].map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            var isRetired = false
            while true {
                poll(&polled, nfds_t(polled.count), timeout)
                if polled[1].revents != 0 {
                    var count: eventfd_t = 0
                    eventfd_read(context.event, &count)
                    let (new, isStopping): ([NewConnection], Bool)
                    (new, isStopping, isRetired) = state.withLock { state in
                        defer { state.new = [] }
                        return (state.new, state.isStopping, state.isRetired)
                    }
                    for new in new { take(new) }
                    if isStopping { break }
                }
                MHD_run(pointer)
                if isRetired, daemon_connections(pointer) == 0 { break }
            }
            MHD_stop_daemon(pointer)
            ended.end(())
        }

        /// The milliseconds until a connection has been idle for too long; -1 if there is none.
        private var timeout: Int32 {
            var timeout: UInt64 = 0
            return MHD_get_timeout(pointer, &timeout) == .YES ? Int32(clamping: timeout) : -1
        }

        private func take(_ new: NewConnection) {
            let isTaken = withUnsafePointer(to: new.address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    MHD_add_connection(pointer, new.connection.descriptor, $0, new.size) == .YES
                }
            }
            if !isTaken { context.connections.remove(new.connection) }
        }

        // MARK: Callbacks

        private static func callbacks(_ context: UnsafeMutableRawPointer) -> DaemonCallbacks {
            DaemonCallbacks(
                context: context,
                connection_changed: { context, connection, slot, change in
                    guard let context, let connection, let slot else { return }
                    let connections = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().connections
                    if change == .CONNECTION_NOTIFY_STARTED {
                        let started = connections.start(connection_descriptor(connection))
                        slot.pointee = started.map { Unmanaged.passRetained($0).toOpaque() }
                    } else if let pointer = slot.pointee {
                        slot.pointee = nil
                        connections.remove(Unmanaged<HTTPConnection>.fromOpaque(pointer).takeRetainedValue())
                    }
                },
                request_began: { _, target, connection in
                    Daemon.connection(connection)?.begin(target.map(TargetText.init))
                    return nil
                },
                request_received: { context, connection, _, method, version, upload, size, _ in
                    guard let known = Daemon.connection(connection), let connection, let context, let method,
                        let version, let size
                    else { return .NO }
                    let part = UnsafeRawBufferPointer(start: upload, count: size.pointee)
                    size.pointee = 0
                    let event = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().event
                    let reference = ConnectionReference(connection, event)
                    let line = RequestLine(method: method.bytes, version: version.bytes)
                    return known.receive(line, part, reference) ? .YES : .NO
                },
                request_ended: { _, connection, _, _ in Daemon.connection(connection)?.end() },
                log: { context, format, arguments in
                    guard let context, let format, let arguments else { return }
                    let messages = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
                    messages.messages.withLock { $0?.append(Daemon.text(format, arguments)) }
                })
        }

        private static func connection(_ pointer: OpaquePointer?) -> HTTPConnection? {
            guard let pointer, let context = connection_context(pointer) else { return nil }
            return Unmanaged<HTTPConnection>.fromOpaque(context).takeUnretainedValue()
        }

        private static func text(_ format: UnsafePointer<CChar>, _ arguments: CVaListPointer) -> String {
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
                guard let start = buffer.baseAddress, vsnprintf(start, buffer.count, format, arguments) >= 0 else {
                    return ""
                }
                return String(String(cString: start).split(separator: "\n").joined(separator: " "))
            }
        }
    }

    /// A connection of the library. It may be used on the library's thread, and while it is suspended on any.
    struct ConnectionReference: Sendable {
        private let address: UInt
        /// Wakes the thread.
        private let event: Int32

        fileprivate init(_ pointer: OpaquePointer, _ event: Int32) {
            (address, self.event) = (UInt(bitPattern: pointer), event)
        }

        private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

        /// Stops reading, writing and calling back until it is resumed.
        func suspend() { MHD_suspend_connection(pointer) }

        /// Continues. The library then calls back again.
        func resume() {
            MHD_resume_connection(pointer)
            eventfd_write(event, 1)
        }

        /// Sends a response.
        ///
        /// - Returns: False if that is not possible; the connection has to be closed.
        func send(_ status: Int, _ response: borrowing OutgoingResponse) -> Bool {
            MHD_queue_response(pointer, UInt32(status), response.pointer) == .YES
        }

        /// The number of bytes of the request's head.
        var headSize: Int { pointer.map { connection_head_size($0) } ?? 0 }

        /// The headers of the request, in their order.
        func forEachField(_ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void) {
            withoutActuallyEscaping(body) { body in
                var body = body
                _ = withUnsafeMutablePointer(to: &body) { body in
                    MHD_get_connection_values_n(
                        pointer, .HEADER_KIND,
                        { context, _, name, nameSize, value, valueSize in
                            let body = context?.assumingMemoryBound(
                                to: ((UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void).self)
                            body?.pointee(
                                UnsafeRawBufferPointer(start: name, count: nameSize),
                                UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueSize))
                            return .YES
                        }, body)
                }
            }
        }

        /// Whether the library leaves checks to ``HeadLayout``.
        static let needsLayoutCheck = needs_layout_check()
    }

    /// A response of the library, released with this value and after it was sent.
    struct OutgoingResponse: ~Copyable {
        fileprivate let pointer: OpaquePointer?

        /// Creates a response with a copy of the content.
        init(copying bytes: [UInt8]) {
            pointer = bytes.withUnsafeBytes { bytes in
                // The library does not change the content.
                let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                return MHD_create_response_from_buffer(bytes.count, start, .RESPMEM_MUST_COPY)
            }
        }

        /// Creates a response that shares its content with others.
        init(sharing content: StableBytes) {
            pointer = MHD_create_response_from_buffer_with_free_callback_cls(
                content.count, content.start,
                { context in context.map { Unmanaged<StableBytes>.fromOpaque($0).release() } },
                Unmanaged.passRetained(content).toOpaque())
        }

        /// Creates a response whose content is produced while it is sent.
        init(streaming reader: StreamReader) {
            // The size is unknown. The library uses this much memory for clients without chunks, and reserves it for
            // all.
            let blockSize = 1_024
            pointer = MHD_create_response_from_callback(
                UInt64.max, blockSize,
                { context, _, start, count in
                    guard let context, let start else { return ssize_t(MHD_CONTENT_READER_END_WITH_ERROR) }
                    let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
                    switch reader.read(into: UnsafeMutableRawBufferPointer(start: start, count: count)) {
                    case .bytes(let count): return count
                    case .end: return ssize_t(MHD_CONTENT_READER_END_OF_STREAM)
                    case .broken: return ssize_t(MHD_CONTENT_READER_END_WITH_ERROR)
                    }
                },
                Unmanaged.passRetained(reader).toOpaque(),
                { context in context.map { Unmanaged<StreamReader>.fromOpaque($0).release() } })
        }

        deinit { MHD_destroy_response(pointer) }

        /// Adds a header. A value with a line break is left out.
        func add(_ name: String, _ value: String) { MHD_add_response_header(pointer, name, value) }
    }

    extension UnsafePointer<CChar> {
        /// The bytes before the zero byte.
        fileprivate var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: self, count: strlen(self)) }
    }

    extension TargetText {
        fileprivate init(_ start: UnsafePointer<CChar>) { self.init(start.bytes) }
    }
#endif
