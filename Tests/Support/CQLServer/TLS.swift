/// The certificate of a server, for all its connections.
final class TLSContext {
    fileprivate let openSSL: OpenSSL
    fileprivate let context: OpaquePointer?

    /// Loads OpenSSL and reads the files.
    init(_ files: CQLServer.TLSFiles) throws {
        openSSL = try OpenSSL()
        context = openSSL.newContext(openSSL.method())
        try check(openSSL.useCertificates(context, files.certificate), files.certificate)
        try check(openSSL.useKey(context, files.key, OpenSSL.pem), files.key)
        if let authorities = files.clientAuthorities {
            try check(openSSL.loadAuthorities(context, authorities, nil), authorities)
            openSSL.setVerification(context, OpenSSL.verifiesClients, nil)
        }
    }

    deinit { openSSL.freeContext(context) }

    private func check(_ result: Int32, _ file: String) throws {
        guard result == 1 else { throw CQLServer.Failure(description: "OpenSSL cannot use the file \(file)") }
    }
}

/// The encryption of one connection. It has no socket: bytes go in and come out.
final class TLSSession {
    private let context: TLSContext
    private let connection: OpaquePointer?
    // They belong to the connection.
    private let input: OpaquePointer?
    private let output: OpaquePointer?

    private var openSSL: OpenSSL { context.openSSL }

    init(_ context: TLSContext) {
        self.context = context
        let openSSL = context.openSSL
        connection = openSSL.newConnection(context.context)
        input = openSSL.newBuffer(openSSL.memory())
        output = openSSL.newBuffer(openSSL.memory())
        openSSL.setBuffers(connection, input, output)
        openSSL.setAccepting(connection)
    }

    deinit { openSSL.freeConnection(connection) }

    /// Decrypts bytes from the socket, and appends them. Returns false if the connection must end.
    func decrypt(_ bytes: UnsafeRawBufferPointer, to plain: inout [UInt8]) -> Bool {
        guard bytes.isEmpty || openSSL.writeBuffer(input, bytes.baseAddress, Int32(bytes.count)) == bytes.count else {
            return false
        }
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            openSSL.clearErrors()
            let count = openSSL.read(connection, &part, Int32(part.count))
            guard count > 0 else { return openSSL.error(connection, count) == OpenSSL.wantsRead }
            plain.append(contentsOf: part[..<Int(count)])
        }
    }

    /// Encrypts answers, and returns the bytes for the socket, which may also be those of a handshake.
    func encrypted(_ plain: [UInt8]) -> [UInt8] {
        openSSL.clearErrors()
        // The buffer in memory takes everything.
        if !plain.isEmpty { _ = openSSL.write(connection, plain, Int32(plain.count)) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = openSSL.readBuffer(output, &part, Int32(part.count))
            guard count > 0 else { return bytes }
            bytes.append(contentsOf: part[..<Int(count)])
        }
    }
}
