import Foundation
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension TransportError {
    /// What a session's error means. Its own texts are left out, because the address is in them.
    init(session error: any Error) {
        guard let error = error as? URLError else {
            self.init(.unreachable, "the request failed")
            return
        }
        switch error.code {
        case .timedOut: self.init(.deadlineExceeded, "no answer for too long")
        // The address was fine. This is what Linux calls an answer in another protocol.
        case .unsupportedURL: self.init(.unreachable, "what came is not an answer in HTTP")
        case .cannotFindHost, .dnsLookupFailed: self.init(.unreachable, "the host is not known")
        case .cannotConnectToHost: self.init(.unreachable, "nobody listens there")
        case .notConnectedToInternet: self.init(.unreachable, "there is no network")
        case .networkConnectionLost: self.init(.unreachable, "the connection broke")
        case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self.init(.unreachable, "no secure connection could be made")
        default: self.init(.unreachable, "the request failed, with the system's code \(error.code.rawValue)")
        }
    }
}
