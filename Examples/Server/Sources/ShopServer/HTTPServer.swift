import CLibmicrohttpd
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Serves HTTP/1.1 with libmicrohttpd. To use Vapor or Hummingbird, replace this file.
///
/// One thread of the library reads and writes. Handlers run in tasks; meanwhile their connection is suspended, so that
/// no thread waits for them.
final class HTTPServer: Sendable {
    struct Request: Sendable {
        let method: String
        /// Without a query; percent-encoding is decoded.
        let path: String
        var body: [UInt8] = []
    }

    struct Response: Sendable {
        var status = 200
        var headers = ["Content-Type": "application/json"]
        var body: [UInt8]
    }

    typealias Handler = @Sendable (Request) async -> Response

    /// Further connections wait until others end.
    static let connectionLimit: UInt32 = 500
    static let bodyLimit = 64 << 10
    /// The time for a request's body.
    static let bodyDeadline = Duration.seconds(10)
    /// Load balancers often keep connections for 60 seconds; the server must not close them earlier.
    static let idleSeconds: UInt32 = 75

    private let daemon: SharedPointer
    private let context: Context

    /// Starts to serve. The port 0 is replaced by a free one.
    init(host: String, port: UInt16, _ respond: @escaping Handler) throws(ListenError) {
        context = Context(respond)
        // Retained until the process ends, because the library's thread uses it.
        let context = Unmanaged.passRetained(context).toOpaque()
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), nil, &found)
        defer { if let found { freeaddrinfo(found) } }
        guard code == 0, let address = found?.pointee.ai_addr else {
            throw ListenError(description: "\(host): \(String(cString: gai_strerror(code)))")
        }
        guard
            let pointer = start_daemon(
                address, { Context.receive($0, $1, $2, $3, $5, $6, $7) },
                { context, _, slot, _ in Context.complete(context, slot) }, context, Self.connectionLimit,
                Self.idleSeconds)
        else {
            let reason = String(cString: strerror(errno))
            throw ListenError(description: "\(host):\(port): \(reason); choose another --host or --port")
        }
        daemon = SharedPointer(pointer)
    }

    struct ListenError: Error, CustomStringConvertible { let description: String }

    var port: UInt16 { daemon_port(daemon.pointer) }

    /// Accepts no more connections, and waits for the responses to requests that have arrived.
    func stop(within limit: Duration) async {
        context.isStopping.store(true, ordering: .relaxed)
        let socket = MHD_quiesce_daemon(daemon.pointer)
        // Connections that the system has accepted for the server still get their responses.
        while case let accepted = accept(socket, nil, nil), accepted >= 0 {
            var address = sockaddr()
            MHD_add_connection(daemon.pointer, accepted, &address, socklen_t(MemoryLayout<sockaddr>.size))
        }
        shutdown(socket, Int32(SHUT_RDWR))
        let start = ContinuousClock.now
        while daemon_connections(daemon.pointer) > 0, !Task.isCancelled {
            let elapsed = start.duration(to: .now)
            // A new connection gets half a second for its request. Idle connections end with the process.
            let isIdle = context.requests.load(ordering: .relaxed) == 0 && elapsed > .milliseconds(500)
            if isIdle || elapsed > limit { return }
            try? await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// A pointer of the library, whose functions may be called on any thread.
private struct SharedPointer: Sendable {
    private let address: UInt
    init(_ pointer: OpaquePointer) { address = UInt(bitPattern: pointer) }
    var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }
}

/// A request that arrives, then its response.
private final class Exchange: Sendable {
    let start = ContinuousClock.now
    let request: Mutex<HTTPServer.Request>
    let response = Mutex<HTTPServer.Response?>(nil)
    init(_ request: HTTPServer.Request) { self.request = Mutex(request) }
}

/// The callbacks of the library, which it calls on its thread.
private final class Context: Sendable {
    private typealias Response = HTTPServer.Response

    private let respond: HTTPServer.Handler
    /// The number of requests that have arrived, at least their head, and have no response yet.
    let requests = Atomic(0)
    let isStopping = Atomic(false)

    init(_ respond: @escaping HTTPServer.Handler) { self.respond = respond }

    /// Called with the head of a request, then with each part of its body, then without any, and when a suspended
    /// connection is resumed. With `.NO` the connection is closed.
    static func receive(
        _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ path: UnsafePointer<CChar>?,
        _ method: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let context, let connection, let path, let method, let size, let slot else { return .NO }
        let server = Unmanaged<Context>.fromOpaque(context).takeUnretainedValue()
        guard let pointer = slot.pointee else {
            let exchange = Exchange(.init(method: String(cString: method), path: String(cString: path)))
            slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
            server.requests.add(1, ordering: .relaxed)
            guard let refusal = refusal(connection) else { return .YES }
            return server.send(refusal, connection, isLast: true)
        }
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
        if size.pointee > 0 {
            let part = UnsafeRawBufferPointer(start: part, count: size.pointee)
            exchange.request.withLock { $0.body += part }
            size.pointee = 0
            return exchange.start.duration(to: .now) < HTTPServer.bodyDeadline ? .YES : .NO
        }
        if let response = exchange.response.withLock({ $0 }) { return server.send(response, connection) }
        MHD_suspend_connection(connection)
        let suspended = SharedPointer(connection)
        Task {
            let response = await server.respond(exchange.request.withLock { $0 })
            exchange.response.withLock { $0 = response }
            MHD_resume_connection(suspended.pointer)
        }
        return .YES
    }

    /// Called when a response was sent, or its connection has ended.
    static func complete(
        _ context: UnsafeMutableRawPointer?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) {
        guard let context, let slot, let exchange = slot.pointee else { return }
        Unmanaged<Exchange>.fromOpaque(exchange).release()
        slot.pointee = nil
        Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().requests.subtract(1, ordering: .relaxed)
    }

    /// The response to a body that is not read, or nil.
    private static func refusal(_ connection: OpaquePointer) -> Response? {
        let headers = request_body_headers(connection)
        // Servers disagree about where these requests end, which attacks make use of.
        guard headers.malformed == 0, headers.lengths < 2 else { return .error(400, "the head is malformed") }
        guard headers.encodings == 0 else { return .error(411, "the body needs a length") }
        guard let length = MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length") else { return nil }
        guard let length = Int(String(cString: length)), length <= HTTPServer.bodyLimit else {
            return .error(413, "the body has more than \(HTTPServer.bodyLimit) bytes")
        }
        return nil
    }

    private func send(_ response: Response, _ connection: OpaquePointer, isLast: Bool = false) -> MHD_Result {
        let outgoing = response.body.withUnsafeBytes { bytes in
            // The library copies the bytes, and does not change them.
            MHD_create_response_from_buffer(
                bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
        }
        defer { MHD_destroy_response(outgoing) }
        for (name, value) in response.headers { MHD_add_response_header(outgoing, name, value) }
        if isLast || isStopping.load(ordering: .relaxed) { MHD_add_response_header(outgoing, "Connection", "close") }
        return MHD_queue_response(connection, UInt32(response.status), outgoing)
    }
}
