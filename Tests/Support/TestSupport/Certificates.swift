import Foundation
import TestProcesses

/// Two authorities and certificates signed by them, created with the `openssl` command.
package final class Certificates: Sendable {
    private let directory = TemporaryDirectory(isCreated: true)

    /// `ca` signs `server`, `other` (for another name), `old` (expired) and `client`; `stranger-ca` signs
    /// `stranger`.
    package init() throws {
        for authority in ["ca", "stranger-ca"] { try make(authority) }
        let names = "DNS:localhost,IP:127.0.0.1"
        try make("server", signedBy: "ca", names)
        try make("other", signedBy: "ca", "DNS:other.example")
        try make("old", signedBy: "ca", names, days: -1)
        try make("client", signedBy: "ca", "DNS:client")
        try make("stranger", signedBy: "stranger-ca", names)
    }

    /// The path of a certificate.
    package func file(_ name: String) -> String { "\(directory.path)/\(name).pem" }
    /// The path of its key.
    package func key(_ name: String) -> String { "\(directory.path)/\(name).key" }

    private static let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]

    private func make(_ authority: String) throws {
        try openSSL(
            ["req", "-x509"] + Self.curve + [
                "-keyout", key(authority), "-out", file(authority), "-days", "2", "-subj", "/CN=\(authority)",
            ])
    }

    private func make(_ name: String, signedBy authority: String, _ names: String, days: Int = 2) throws {
        let (request, extensions) = (directory.path + "/request", directory.path + "/extensions")
        try openSSL(["req"] + Self.curve + ["-keyout", key(name), "-out", request, "-subj", "/CN=\(name)"])
        try "subjectAltName=\(names)\n".write(toFile: extensions, atomically: true, encoding: .utf8)
        try openSSL([
            "x509", "-req", "-in", request, "-CA", file(authority), "-CAkey", key(authority), "-CAcreateserial",
            "-out", file(name), "-days", "\(days)", "-extfile", extensions,
        ])
    }

    private func openSSL(_ arguments: [String]) throws { try ChildProcess.run("openssl", arguments) }
}
