import CServer
import LibC

/// The settings of TLS with one certificate.
final class TLSContext: Sendable {
    private let credentials: UInt
    private let priorities: UInt

    /// Reads a certificate.
    ///
    /// - Throws: ``ListenerError`` if it cannot be used.
    init(_ certificate: Certificate) throws(ListenerError) {
        var credentials: gnutls_certificate_credentials_t?
        var priorities: gnutls_priority_t?
        gnutls_certificate_allocate_credentials(&credentials)
        var code = tls_use_certificate(credentials, certificate.chain, certificate.key)
        if code >= 0 { code = gnutls_priority_init(&priorities, Self.versions, nil) }
        self.credentials = UInt(bitPattern: credentials)
        self.priorities = UInt(bitPattern: priorities)
        guard code < 0 else { return }
        let reason = String(cString: gnutls_strerror(code))
        throw ListenerError("TLS: the certificate and its key cannot be used: \(reason)")
    }

    deinit {
        gnutls_certificate_free_credentials(OpaquePointer(bitPattern: credentials))
        if let priorities = OpaquePointer(bitPattern: priorities) { gnutls_priority_deinit(priorities) }
    }

    private static let versions = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

    /// A connection over a socket; nil if there is no memory for it.
    fileprivate func session(_ descriptor: Int32) -> gnutls_session_t? {
        var session: gnutls_session_t?
        let code = tls_start(
            &session, OpaquePointer(bitPattern: credentials), OpaquePointer(bitPattern: priorities), descriptor)
        if code < 0, let session { gnutls_deinit(session) }
        return code < 0 ? nil : session
    }
}

/// The socket of a connection, with or without TLS. Used on one thread.
final class PeerTransport {
    /// The result of a call.
    enum Result {
        /// The number of bytes, at least one.
        case bytes(Int)
        /// The socket is not ready.
        case wait
        /// The other end sends nothing more, or the connection is broken.
        case end
    }

    let descriptor: Int32
    private let context: TLSContext?
    private let session: gnutls_session_t?
    private var isConnected: Bool
    /// Whether TLS has to write before anything can be read.
    private(set) var mustWrite = false

    init(_ descriptor: Int32, _ context: TLSContext?) {
        self.descriptor = descriptor
        self.context = context
        session = context?.session(descriptor)
        isConnected = context == nil
    }

    deinit {
        if let session {
            if isConnected { gnutls_bye(session, GNUTLS_SHUT_WR) }
            gnutls_deinit(session)
        }
        close(descriptor)
    }

    /// Whether bytes were received that a call of ``read(into:)`` returns at once.
    var hasReceived: Bool { session.map { gnutls_record_check_pending($0) > 0 } ?? false }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Result {
        if let result = connect() { return result }
        guard let session else {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            return Self.result(count, isTemporary: errno == EAGAIN || errno == EINTR)
        }
        let count = gnutls_record_recv(session, buffer.baseAddress, buffer.count)
        return Self.result(count, isTemporary: tls_is_temporary(count))
    }

    func write(_ buffer: UnsafeRawBufferPointer) -> Result {
        if let result = connect() { return result }
        guard let session else {
            let count = send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
            return Self.result(count, isTemporary: errno == EAGAIN || errno == EINTR)
        }
        let count = gnutls_record_send(session, buffer.baseAddress, buffer.count)
        return Self.result(count, isTemporary: tls_is_temporary(count))
    }

    /// Sends nothing more. The other end sees the end after what was sent.
    func endWriting() {
        if let session, isConnected { gnutls_bye(session, GNUTLS_SHUT_WR) }
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Continues the handshake. Returns nil if it is complete.
    private func connect() -> Result? {
        guard !isConnected else { return nil }
        guard let session else { return .end }
        while true {
            let code = gnutls_handshake(session)
            mustWrite = code < 0 && gnutls_record_get_direction(session) == 1
            if code >= 0 {
                isConnected = true
                return nil
            }
            if tls_is_temporary(Int(code)) { return .wait }
            if gnutls_error_is_fatal(code) != 0 { return .end }
        }
    }

    private static func result(_ count: Int, isTemporary: Bool) -> Result {
        if count > 0 { return .bytes(count) }
        return count < 0 && isTemporary ? .wait : .end
    }
}
