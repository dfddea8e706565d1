import TurnoutClient

/// A file with certificates or a key, in the PEM format.
struct TLSFile {
    let path: String
    let text: String

    /// Reads a file.
    ///
    /// - Throws: `ProfileServerError` with the system's reason.
    init(_ path: String) throws(ProfileServerError) {
        self.path = path
        do throws(FileError) {
            text = String(decoding: try FileContents.read(path), as: UTF8.self)
        } catch {
            throw ProfileServerError(.badOptions, "TLS: \(path) cannot be read: \(error)")
        }
    }

    /// Where systems have the certificates of trusted authorities: Debian, Red Hat, Alpine and macOS.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// The trusted authorities. The driver knows none by itself.
    ///
    /// - Throws: `ProfileServerError` if the system has none where they are expected.
    static func authorities(_ options: CassandraOptions.TLS) throws(ProfileServerError) -> TLSFile {
        if let path = options.authorities { return try TLSFile(path) }
        for path in systemFiles {
            if let file = try? TLSFile(path) { return file }
        }
        throw ProfileServerError(
            .badOptions, "TLS: the system has no file of trusted authorities; name one (ca=, authorities)")
    }
}
