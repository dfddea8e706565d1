import Foundation

extension Certificates {
    /// Starts a server with a certificate; `ask` connects to it without TLS.
    func server(
        _ certificate: String = "server", requiresCertificates: Bool = false, _ arguments: [String] = []
    ) async throws -> (server: RedisServer, port: Int) {
        let port = try FreePort.next()
        let server = try await RedisServer(
            all: [
                "--tls-port", "\(port)", "--tls-cert-file", file(certificate), "--tls-key-file", key(certificate),
                "--tls-ca-cert-file", file("ca"), "--tls-auth-clients", requiresCertificates ? "yes" : "no",
            ] + arguments)
        return (server, port)
    }

    /// Options for a server with one of these certificates.
    func options(port: Int, host: String = "127.0.0.1") -> RedisOptions {
        var options = RedisOptions(servers: .one(.host(host, port: port)))
        options.prefix = UUID().uuidString + ":"
        options.timeout = .seconds(60)
        options.connectTimeout = .seconds(60)
        options.tls = RedisOptions.TLS()
        options.tls?.authorities = file("ca")
        return options
    }
}
