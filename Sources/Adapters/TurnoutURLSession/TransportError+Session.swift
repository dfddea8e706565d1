import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportError {
    /// Converts a session's error. Its messages are omitted because they contain the address.
    init(session error: any Error, from host: String) {
        guard let error = error as? URLError else {
            self.init(.unreachable, "the request to \(host) failed for an unknown reason (\(type(of: error)))")
            return
        }
        switch error.code {
        case .timedOut: self.init(.deadlineExceeded, "no response from \(host) for too long")
        // The address was valid. Linux reports a response in another protocol in this way.
        case .unsupportedURL, .badServerResponse, .cannotParseResponse:
            self.init(.unreachable, "what \(host) sent is not an HTTP response, or it broke off")
        case .cannotFindHost, .dnsLookupFailed: self.init(.unreachable, "host \(host) not found")
        case .cannotConnectToHost: self.init(.unreachable, "no connection to \(host): connection refused")
        case .notConnectedToInternet: self.init(.unreachable, "no connection to \(host): no network")
        case .networkConnectionLost:
            self.init(.unreachable, "the connection to \(host) broke before the response was complete")
        default:
            let text =
                Self.certificateText(error.code, host) ?? Self.certificateText(linux: error, host)
                ?? Self.proxyText(linux: error, host)
            self.init(
                .unreachable,
                text ?? "the request to \(host) failed; the system's error is URLError \(error.code.rawValue)")
        }
    }

    private static func certificateText(_ code: URLError.Code, _ host: String) -> String? {
        switch code {
        case .secureConnectionFailed:
            "no secure connection to \(host): the TLS handshake failed or its certificate is not trusted"
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            "the certificate of \(host) is refused: its authority is not trusted here; add it to the system's "
                + "certificates"
        case .serverCertificateHasBadDate: "the certificate of \(host) is refused: it has expired"
        case .serverCertificateNotYetValid:
            "the certificate of \(host) is refused: it is not valid yet; is the clock right?"
        case .clientCertificateRejected, .clientCertificateRequired:
            "\(host) wants a client certificate, which is not supported"
        default: nil
        }
    }

    /// On Linux a proxy's refusal has no code of its own. Among libcurl's messages, which depend on its version, only
    /// these contain the word.
    private static func proxyText(linux error: URLError, _ host: String) -> String? {
        let words = error.localizedDescription.split(separator: " ")
        guard words.contains("CONNECT"), let status = words.lazy.compactMap({ Int($0) }).first else { return nil }
        return "the proxy that the environment names refused to connect to \(host) with status \(status)"
    }

    /// On Linux all certificate errors have one code, with messages of libcurl that contain no addresses.
    private static func certificateText(linux error: URLError, _ host: String) -> String? {
        let cause = "SSL certificate problem: "
        let text = error.localizedDescription
        if text.hasPrefix(cause) {
            return "the certificate of \(host) is refused: \(text.dropFirst(cause.count)); add an authority of your "
                + "own to the system's certificates"
        }
        guard text.hasPrefix("SSL: ") else { return nil }
        return "the certificate of \(host) is refused: it is for another host, or not trusted"
    }
}
