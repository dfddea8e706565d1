import COpenSSL
import TurnoutClient
import TurnoutSockets

/// The state that all encrypted connections of a store share: OpenSSL, the accepted authorities, the client
/// certificate.
///
/// OpenSSL is loaded when the first store needs it.
final class TLSContext: Sendable {
    fileprivate let openSSL: OpenSSLFunctions
    fileprivate let context: OpenSSLContextReference
    private let serverName: String?

    /// Loads OpenSSL and reads the files.
    ///
    /// - Throws: ``StreamError`` if a file cannot be used, or OpenSSL cannot be loaded.
    init(_ options: RedisOptions.TLS) throws(StreamError) {
        openSSL = try Self.openSSL.get()
        serverName = options.serverName
        openSSL.error_clear()
        guard let pointer = openSSL.context_new(openSSL.client_method()) else {
            throw StreamError(.badOptions, "OpenSSL cannot be used: \(openSSL.reason)")
        }
        context = OpenSSLContextReference(pointer: pointer)
        _ = openSSL.context_control(
            pointer, Int32(OPENSSL_SET_LOWEST_VERSION), OPENSSL_TLS_1_2, nil)
        _ = openSSL.context_control(
            pointer, Int32(OPENSSL_SET_MODE), OPENSSL_PARTIAL_AND_MOVING_WRITES, nil)
        openSSL.context_set_verify(pointer, Int32(OPENSSL_VERIFY_PEER), nil)
        try use(options, pointer)
    }

    deinit { openSSL.context_free(context.pointer) }

    private func use(_ options: RedisOptions.TLS, _ pointer: OpaquePointer) throws(StreamError) {
        let pem = Int32(OPENSSL_FILE_PEM)
        if let file = options.authorities {
            try check(openSSL.context_load_authorities(pointer, file, nil), "the authorities", file)
        } else {
            try check(openSSL.context_set_default_authorities(pointer), "the system's authorities", nil)
        }
        guard let certificate = options.certificate, let key = options.key else { return }
        try check(openSSL.context_use_certificates(pointer, certificate), "the certificate", certificate)
        try check(openSSL.context_use_key(pointer, key, pem), "the key", key)
        try check(openSSL.context_check_key(pointer), "the key does not belong to the certificate; the key", key)
    }

    private func check(_ result: Int32, _ what: String, _ file: String?) throws(StreamError) {
        guard result != 1 else { return }
        let place = file.map { " in \($0)" } ?? ""
        // OpenSSL has no messages for system errors.
        let reason = file.flatMap(SystemError.whyUnreadable) ?? openSSL.reason
        throw StreamError(.badOptions, "TLS: \(what)\(place) cannot be used: \(reason)")
    }

    /// The name that the certificate of a server must have.
    func name(of address: ProfileServerAddress) -> String {
        if let serverName { return serverName }
        if case .host(let host, _) = address { return host }
        return ""
    }

    #if canImport(Darwin)
        // The system's own library of this name aborts processes that load it.
        private static let libraries = ["/opt/homebrew", "/usr/local"].map {
            $0 + "/opt/openssl@3/lib/libssl.3.dylib"
        }
        private static let command = "brew install openssl@3"
    #else
        private static let libraries = ["libssl.so.3", "libssl.so.1.1"]
        private static let command = "apt-get install libssl3"
    #endif

    /// Shared by the process, which can load and initialize OpenSSL only once.
    private static let openSSL: Result<OpenSSLFunctions, StreamError> = {
        for name in libraries {
            guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            var functions = OpenSSLFunctions()
            guard openssl_find(library, &functions) else { continue }
            // Otherwise OpenSSL cleans up at exit, while threads may still use it.
            _ = functions.initialize(UInt64(OPENSSL_NO_ATEXIT), nil)
            return .success(functions)
        }
        return .failure(
            StreamError(
                .badOptions,
                "TLS needs OpenSSL 3 or 1.1.1 (\(libraries[0])), which cannot be loaded: install it (\(command)), "
                    + "or run a tunnel such as stunnel and connect to its socket with redis+unix://"))
    }()
}

extension OpenSSLFunctions {
    /// The reason for the first error that is queued on this thread.
    fileprivate var reason: String {
        let code = error_next()
        return error_reason(code).map { String(cString: $0) } ?? "unknown error"
    }
}

/// An encrypted connection to a server with a verified certificate.
final class TLSStream: ByteStream {
    private let socket: Socket
    private let context: TLSContext
    private let session: Locked<TLSSession>

    private init(_ socket: Socket, _ context: TLSContext, _ session: TLSSession) {
        self.socket = socket
        self.context = context
        self.session = Locked(session)
    }

    deinit { session.withLock { $0.end() } }

    /// Performs the TLS handshake on a new connection.
    static func begun(
        on socket: Socket, _ context: TLSContext, name: String, until deadline: ContinuousClock.Instant
    ) throws(StreamError) -> TLSStream {
        let stream = TLSStream(socket, context, try TLSSession(context, name: name))
        while try !stream.session.withLock({ (session) throws(StreamError) in try session.begins(on: socket) }) {
            let events = stream.holdsOutput ? Poll.readable | Poll.writable : Poll.readable
            guard Poll.wait(for: events, on: socket.descriptor, until: deadline) else {
                throw StreamError(
                    .timedOut, "the TLS handshake did not end in time; does the server's port speak TLS?")
            }
        }
        return stream
    }

    var descriptor: Int32 { socket.descriptor }

    var holdsOutput: Bool { session.withLock { $0.holdsOutput } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(StreamError) -> Int {
        try session.withLock { (session) throws(StreamError) in try session.read(into: buffer, from: socket) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(StreamError) -> Int {
        try session.withLock { (session) throws(StreamError) in try session.write(bytes, to: socket) }
    }
}

/// The encryption of one connection. OpenSSL reads and writes memory buffers: on a socket it would ignore deadlines
/// and raise SIGPIPE on a closed connection.
private struct TLSSession: Sendable {
    private let openSSL: OpenSSLFunctions
    private let connection: OpenSSLConnectionReference
    private let name: String
    /// Encrypted bytes that are not sent yet.
    private var output: [UInt8] = []
    private var sentCount = 0

    init(_ context: TLSContext, name: String) throws(StreamError) {
        openSSL = context.openSSL
        self.name = name
        guard let pointer = openSSL.connection_new(context.context.pointer),
            let input = openSSL.buffer_new(openSSL.memory_method()),
            let output = openSSL.buffer_new(openSSL.memory_method())
        else { throw StreamError(.unreachable, "no memory for a TLS connection") }
        // The connection owns both buffers from here on.
        openSSL.connection_set_buffers(pointer, input, output)
        connection = OpenSSLConnectionReference(pointer: pointer, input: input, output: output)
        // Certificates list IP addresses separately from names, and SNI excludes them.
        if openSSL.parameters_set_address(openSSL.connection_parameters(pointer), name) == 1 { return }
        openSSL.error_clear()
        let isSet = name.withCString { name in
            openSSL.connection_set_host(pointer, name) == 1
                && openSSL.connection_control(
                    pointer, Int32(OPENSSL_SET_SERVER_NAME), 0, UnsafeMutableRawPointer(mutating: name)) == 1
        }
        guard isSet else {
            openSSL.connection_free(pointer)
            throw StreamError(.badOptions, "TLS: the server's name cannot be in a certificate")
        }
    }

    func end() { openSSL.connection_free(connection.pointer) }

    var holdsOutput: Bool { sentCount < output.count }

    /// Continues the handshake. Returns whether it is complete.
    mutating func begins(on socket: Socket) throws(StreamError) -> Bool {
        while true {
            openSSL.error_clear()
            let result = openSSL.connection_connect(connection.pointer)
            let failure = result == 1 ? nil : failure(result)
            do throws(StreamError) {
                // Also after a failure, to send the alert to the server.
                try flush(to: socket)
                if let failure { throw failure }
                if result == 1 { return true }
                guard try receive(from: socket) else { return false }
            } catch {
                guard failure == nil, error.kind == .broken else { throw failure ?? error }
                throw StreamError(
                    .insecure, "the server ended the connection during the TLS handshake; does its port speak TLS?")
            }
        }
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer, from socket: Socket) throws(StreamError) -> Int {
        var count = 0
        while count < buffer.count {
            openSSL.error_clear()
            let rest = buffer.baseAddress.map { $0 + count }
            let result = openSSL.connection_read(connection.pointer, rest, Int32(clamping: buffer.count - count))
            if result > 0 {
                count += Int(result)
                continue
            }
            do throws(StreamError) {
                if let failure = failure(result) { throw failure }
                guard try receive(from: socket) else { break }
            } catch {
                // Returns what arrived before the error; the next call finds the error again.
                if count > 0 { break }
                throw error
            }
        }
        try flush(to: socket)
        return count
    }

    /// The most bytes that are encrypted before they are sent.
    private static let largestPiece = 65_536

    mutating func write(_ bytes: UnsafeRawBufferPointer, to socket: Socket) throws(StreamError) -> Int {
        try flush(to: socket)
        guard !holdsOutput, !bytes.isEmpty else { return 0 }
        openSSL.error_clear()
        let result = openSSL.connection_write(
            connection.pointer, bytes.baseAddress, Int32(min(bytes.count, Self.largestPiece)))
        if result <= 0, let failure = failure(result) { throw failure }
        try flush(to: socket)
        return max(0, Int(result))
    }

    /// Reads from the socket. Returns whether anything has arrived.
    private func receive(from socket: Socket) throws(StreamError) -> Bool {
        let count: Result<Int, StreamError> = withUnsafeTemporaryAllocation(
            byteCount: 16_384, alignment: 16
        ) { bytes in
            Result { () throws(StreamError) in
                let count = try socket.read(into: bytes)
                if count > 0 { _ = openSSL.buffer_write(connection.input, bytes.baseAddress, Int32(count)) }
                return count
            }
        }
        return try count.get() > 0
    }

    /// Sends encrypted bytes, as far as possible without blocking.
    private mutating func flush(to socket: Socket) throws(StreamError) {
        let pending = openSSL.buffer_control(connection.output, Int32(OPENSSL_BUFFER_PENDING), 0, nil)
        if pending > 0 {
            if sentCount == output.count { (output, sentCount) = ([], 0) }
            output += [UInt8](unsafeUninitializedCapacity: Int(pending)) { bytes, count in
                let taken = openSSL.buffer_read(connection.output, bytes.baseAddress, Int32(clamping: pending))
                count = max(0, Int(taken))
            }
        }
        guard holdsOutput else { return }
        let rest = output[sentCount...]
        let count: Result<Int, StreamError> = rest.withUnsafeBytes { bytes in
            Result { () throws(StreamError) in try socket.write(bytes) }
        }
        sentCount += try count.get()
    }

    /// The error for an OpenSSL result; nil if it needs more input or output.
    private func failure(_ result: Int32) -> StreamError? {
        let code = Int(openSSL.connection_error(connection.pointer, result))
        if code == OPENSSL_WANT_READ || code == OPENSSL_WANT_WRITE { return nil }
        if code == OPENSSL_END { return .closed }
        let verification = openSSL.connection_verification(connection.pointer)
        switch verification {
        case OPENSSL_VERIFICATION_OK: break
        case OPENSSL_VERIFICATION_HOST_MISMATCH, OPENSSL_VERIFICATION_ADDRESS_MISMATCH:
            return StreamError(.insecure, "the server's certificate is not for \(name); see serverName")
        default:
            let text = openSSL.verification_text(verification).map { String(cString: $0) } ?? "\(verification)"
            return StreamError(.insecure, "the server's certificate is not accepted: \(text)")
        }
        let reason = openSSL.reason
        let hint =
            switch reason {
            case _ where reason.contains("wrong version"): "; does the server's port speak TLS?"
            case _ where reason.contains("certificate required") || reason.contains("handshake failure"):
                "; does the server require a certificate of the client?"
            default: ""
            }
        return StreamError(.insecure, "TLS failed: \(reason)\(hint)")
    }
}
