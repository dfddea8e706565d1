import Foundation
import TestProcesses

/// Servers with certificates of a private authority.
@Suite(.overEachNetwork, .blocking) struct CertificateTests {
    private static let authority = Result { try CertificateAuthority() }
    private let authority: CertificateAuthority

    init() throws { authority = try Self.authority.get() }

    private static func request(_ server: TLSServer) -> HTTPRequest {
        HTTPRequest(.get, "https://127.0.0.1:\(server.port)/secret", deadline: .seconds(60))
    }

    private func message(_ server: TLSServer, _ options: TransportOptions = TransportOptions()) async -> String? {
        let transport = Network.current.transport(options)
        let error = await #expect(throws: TransportError.self) { try await transport.send(Self.request(server)) }
        return error?.message
    }

    @Test func anUnknownAuthorityIsRefusedAndReported() async throws {
        let server = try TLSServer(authority.certificate(for: "IP:127.0.0.1"))
        let message = try #require(await message(server))
        switch Network.current {
        case .urlSession:
            #expect(message.contains("127.0.0.1:\(server.port)"))
            #expect(message.contains("certificate"), "\(message)")
        #if Curl && os(Linux)
            case .curl:
                // The environment may name a file, which follows.
                #expect(
                    message.hasPrefix(
                        "the certificate of 127.0.0.1:\(server.port) is refused: its authority is unknown here; for an "
                            + "authority of your own set CURL_CA_BUNDLE, SSL_CERT_FILE or certificateAuthorityFile"))
        #endif
        }
    }

    @Test func sessionsRefuseAnOptionThatTheyDoNotSupport() async throws {
        guard Network.current == .urlSession else { return }
        let server = try TLSServer(authority.certificate(for: "IP:127.0.0.1"))
        let message = await message(server, TransportOptions(certificateAuthorityFile: authority.file))
        #expect(message?.contains("does not support certificateAuthorityFile") == true)
    }

    #if Curl && os(Linux)
        @Test func aCustomAuthorityIsTrustedIfConfigured() async throws {
            guard Network.current == .curl else { return }
            let server = try TLSServer(authority.certificate(for: "IP:127.0.0.1"))
            let options = TransportOptions(certificateAuthorityFile: authority.file)
            #expect(try await Network.curl.transport(options).send(Self.request(server)).status == 204)
            // An open connection does not bypass the check.
            #expect(await message(server)?.contains("is refused") == true)
        }

        @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE"])
        func theEnvironmentMaySetTheAuthority(variable: String) async throws {
            guard Network.current == .curl else { return }
            let server = try TLSServer(authority.certificate(for: "IP:127.0.0.1"))
            // In a separate process, since the environment is process-wide.
            await #expect(processExitsWith: .success) {
                [variable = variable as String, file = authority.file as String, port = Int(server.port) as Int] in
                for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] { unsetenv(name) }
                setenv(variable, file, 1)
                let request = HTTPRequest(.get, "https://127.0.0.1:\(port)/", deadline: .seconds(60))
                let response = try await Network.curl.transport().send(request)
                #expect(response.status == 204)
            }
        }

        @Test func otherHostsAndMissingFilesAreReported() async throws {
            guard Network.current == .curl else { return }
            let server = try TLSServer(authority.certificate(for: "DNS:shop.example"))
            let options = TransportOptions(certificateAuthorityFile: authority.file)
            #expect(await message(server, options)?.contains("it is for another host") == true)
            let missing = TransportOptions(certificateAuthorityFile: "/nowhere/ca.pem")
            #expect(await message(server, missing)?.contains(#""/nowhere/ca.pem" cannot be read"#) == true)
        }
    #endif
}

/// An authority trusted only by tests, created with `openssl`.
private final class CertificateAuthority: Sendable {
    struct Identity {
        let certificate: String
        let key: String
    }

    private let directory = TemporaryDirectory(isCreated: true)
    /// The path of its certificate.
    var file: String { path("ca.pem") }

    init() throws {
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=tests "
                + "-keyout ca.key -out ca.pem")
    }

    private func path(_ name: String) -> String { directory.path + "/" + name }

    /// Issues a certificate for a subject alternative name.
    func certificate(for name: String) throws -> Identity {
        let id = UUID().uuidString
        try Data("subjectAltName=\(name)\n".utf8).write(to: directory.url.appending(path: id + ".ext"))
        try openssl(
            "req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=server -keyout \(id).key "
                + "-out \(id).csr")
        try openssl(
            "x509 -req -in \(id).csr -CA ca.pem -CAkey ca.key -set_serial \(UInt32.random(in: 1...UInt32.max)) "
                + "-days 1 -extfile \(id).ext -out \(id).pem")
        return Identity(certificate: path(id + ".pem"), key: path(id + ".key"))
    }

    private func openssl(_ arguments: String) throws {
        try ChildProcess.run(
            "env", ["-C", directory.path, "openssl"] + arguments.split(separator: " ").map(String.init))
    }
}

/// A TLS server that responds with 204. It ends when this value is released, or with the process.
private final class TLSServer: Sendable {
    let port: UInt16
    private let process: ChildProcess

    init(_ identity: CertificateAuthority.Identity) throws {
        process = try ChildProcess("python3", ["-c", Self.program, identity.certificate, identity.key], output: .pipe)
        port = try #require(UInt16(process.readLine()))
    }

    deinit { process.end() }

    private static let program = """
        import http.server, ssl, sys, threading
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(204)
                self.end_headers()
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port, flush=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        """
}
