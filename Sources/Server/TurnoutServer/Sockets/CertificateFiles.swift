import TurnoutClient

/// The files for TLS, in PEM format. They are read when the listener starts, and by
/// ``SocketListener/reloadCertificate()``.
package struct CertificateFiles: Sendable {
    /// The file with the certificate, followed by those of intermediate authorities.
    package var certificate: String
    /// The file with the certificate's key, without a password.
    package var key: String

    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    func read() throws(ListenerError) -> Certificate {
        Certificate(
            chain: try Self.read(certificate, "the certificate"), key: try Self.read(key, "the certificate's key"))
    }

    private static func read(_ path: String, _ what: String) throws(ListenerError) -> String {
        do throws(FileError) { return String(decoding: try FileContents.read(path), as: UTF8.self) } catch {
            throw ListenerError("TLS: \(what) in \(path) cannot be read: \(error)")
        }
    }
}

/// A certificate and its key, as in their files.
struct Certificate: Equatable {
    let chain: String
    let key: String
}
