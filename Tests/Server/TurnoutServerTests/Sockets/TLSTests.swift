import Foundation
import TestProcesses
import TestSupport
import TurnoutServer

@Suite("TLS", .blocking)
struct TLSTests {
    private let directory = TemporaryDirectory(isCreated: true)
    private var files: CertificateFiles {
        CertificateFiles(certificate: directory.path + "/cert.pem", key: directory.path + "/key.pem")
    }

    init() throws { try renew() }

    private func renew() throws {
        try ChildProcess.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", files.key,
                "-out", files.certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
            ])
    }

    private func connect(_ server: TestServer, _ arguments: [String] = []) throws -> String {
        try ChildProcess.output(
            of: "openssl",
            [
                "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", files.certificate,
                "-verify_return_error", "-verify_ip", "127.0.0.1", "-quiet", "-no_ign_eof", "-ign_eof",
            ] + arguments, input: Data("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func encryptedConnectionsAreServed(version: String) async throws {
        let server = try TestServer(certificate: files)
        #expect(try connect(server, [version]).hasSuffix("hello"))
        await server.stop()
    }

    @Test func oldVersionsAreRefused() async throws {
        let server = try TestServer(certificate: files)
        #expect(!(try connect(server, ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]).contains("hello")))
        await server.stop()
    }

    @Test func aClientWithoutTLSGetsNothing() async throws {
        var limits = ListenerLimits()
        limits.requestTime = .milliseconds(300)
        let server = try TestServer(limits, certificate: files)
        #expect(!(try server.answer(to: "GET / HTTP/1.1\r\nHost: a\r\n\r\n").contains("hello")))
        // A handshake that does not begin is limited in time, too.
        #expect(try server.connect().rest().isEmpty)
        await server.stop()
    }

    @Test func aNewCertificateIsForNewConnections() async throws {
        let server = try TestServer(certificate: files)
        let old = try ChildProcess.output(of: "cat", [files.certificate])
        #expect(try !server.listener.reloadCertificate())
        try renew()
        #expect(!(try connect(server)).contains("hello"))
        #expect(try server.listener.reloadCertificate())
        #expect(try connect(server).hasSuffix("hello"))
        try old.write(toFile: files.certificate, atomically: true, encoding: .utf8)
        // The certificate is not that of the key.
        #expect(throws: ListenerError.self) { try server.listener.reloadCertificate() }
        try renew()
        #expect(try server.listener.reloadCertificate())
        #expect(try connect(server).hasSuffix("hello"))
        await server.stop()
    }

    @Test func connectionsOutliveTheirCertificate() async throws {
        let server = try TestServer(certificate: files)
        let ready = directory.path + "/ready"
        let requests = """
            request() { printf "GET / HTTP/1.1\\\\r\\\\nHost: a\\\\r\\\\n$1\\\\r\\\\n"; }
            (request; while [ ! -e \(ready) ]; do sleep 0.02; done; request "Connection: close\\\\r\\\\n") |
                openssl s_client -connect 127.0.0.1:\(server.port) -quiet -ign_eof 2> /dev/null
            """
        async let answers = BlockingCall.value {
            Result { try ChildProcess.output(of: "sh", ["-c", requests]) }
        }
        try await wait("a connection") { server.listener.counts.connections > 0 }
        try renew()
        #expect(try server.listener.reloadCertificate())
        try Data().write(to: URL(filePath: ready))
        #expect(try await answers.get().split(separator: "HTTP/1.1 200").count == 2)
        await server.stop()
    }

    @Test func unusableFilesAreReported() throws {
        let missing = CertificateFiles(certificate: "/missing.pem", key: files.key)
        let error = #expect(throws: ListenerError.self) { try TestServer(certificate: missing) }
        #expect(error?.description.hasPrefix("TLS: the certificate in /missing.pem cannot be read: ") == true)
        let swapped = CertificateFiles(certificate: files.key, key: files.certificate)
        let other = #expect(throws: ListenerError.self) { try TestServer(certificate: swapped) }
        #expect(other?.description.contains("TLS") == true)
    }
}
