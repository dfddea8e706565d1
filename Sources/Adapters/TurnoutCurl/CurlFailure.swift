#if Curl && os(Linux)
    import LibC
    import TurnoutClient

    /// Why libcurl got no response. Its own messages are not used because they contain addresses.
    struct CurlFailure {
        /// The kind of failure that libcurl reports.
        enum Kind {
            case unreadableAddress, timedOut, unknownHost, unknownProxy, noConnection, refusedCertificate
            case unreadableAuthorities, noHandshake, brokenConnection
            /// Any other error, by its number.
            case other(UInt32)
        }

        let kind: Kind
        /// The status with which a proxy refused to connect to the server; 0 if it did not.
        let proxyStatus: Int
        /// OpenSSL's code for the refusal of the certificate; 0 if unknown.
        let certificateProblem: Int
        /// The `errno` of the failed connection attempt; 0 if unknown.
        let connectErrno: Int32

        /// The failure as an error that names the host and, where possible, a remedy.
        func error(_ request: HTTPRequest, _ options: TransportOptions) -> TransportError {
            let host = request.authority
            guard proxyStatus == 0 else { return TransportError(.unreachable, refusal(by: Self.proxy, host)) }
            switch kind {
            case .unreadableAddress: return .unreadableAddress
            case .timedOut: return TransportError(.deadlineExceeded, "no response from \(host) for too long")
            case .unknownHost: return TransportError(.unreachable, "host \(host) not found")
            case .unknownProxy:
                return TransportError(
                    .unreachable, "the proxy that the environment names (https_proxy) was not found")
            case .noConnection:
                let proxy = Self.proxy.isEmpty ? "" : "; the environment names the proxy \(Self.proxy)"
                return TransportError(.unreachable, "no connection to \(host): \(connectProblem)\(proxy)")
            case .refusedCertificate: return TransportError(.unreachable, certificateText(host, options))
            case .unreadableAuthorities:
                let file = options.authorityFile.map { "\"\($0)\"" } ?? "of the system"
                return TransportError(.unreachable, "the file of certificate authorities \(file) cannot be read")
            case .noHandshake:
                return TransportError(
                    .unreachable, "no secure connection to \(host): the TLS handshake failed; does it speak https?")
            case .brokenConnection:
                return TransportError(
                    .unreachable, "the connection to \(host) broke before the response was complete")
            case .other(let number):
                return TransportError(.unreachable, "the request to \(host) failed with libcurl's error \(number)")
            }
        }

        private func refusal(by proxy: String, _ host: Substring) -> String {
            let reason =
                switch proxyStatus {
                case 401, 407: ": it requires a login, as in https_proxy=http://USER:PASSWORD@\(proxy)"
                case 403: ": it does not allow that host"
                case 502, 503, 504: ": it does not reach that host"
                default: ""
                }
            return "the proxy \(proxy) refused to connect to \(host) with status \(proxyStatus)\(reason)"
        }

        /// The host and port of the proxy that the environment names, without its user and password.
        private static var proxy: String {
            let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
            let address = names.lazy.compactMap { TransportOptions.variable($0) }.first ?? ""
            let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
            let authority = address[start...].prefix { $0 != "/" }
            return String(authority[(authority.lastIndex(of: "@").map { authority.index(after: $0) } ?? start)...])
        }

        private var connectProblem: String {
            switch connectErrno {
            case ECONNREFUSED: "connection refused"
            case EHOSTUNREACH: "no route to the host"
            case ENETUNREACH: "no network"
            case ETIMEDOUT: "the attempt timed out"
            case EMFILE, ENFILE: "no file descriptors left"
            case EACCES, EPERM: "not permitted, perhaps by a firewall"
            case 0: "the attempt failed"
            default: "the system's error \(connectErrno)"
            }
        }

        private func certificateText(_ host: Substring, _ options: TransportOptions) -> String {
            // Codes of X509_verify_cert.
            let reason =
                switch certificateProblem {
                case 9: "it is not valid yet; is the clock right?"
                case 10: "it has expired"
                case 18, 19: "it is self-signed, or its authority is"
                case 2, 20, 21: "its authority is unknown here"
                case 23: "it has been revoked"
                default: "it is for another host, or not trusted"
                }
            var advice = ""
            if [2, 18, 19, 20, 21].contains(certificateProblem) {
                let present = options.authorityFile.map { " (now \"\($0)\")" } ?? ""
                advice =
                    "; for an authority of your own set CURL_CA_BUNDLE, SSL_CERT_FILE or certificateAuthorityFile"
                    + present
            }
            return "the certificate of \(host) is refused: \(reason)\(advice)"
        }
    }

    extension TransportOptions {
        /// The file of certificate authorities to trust, or nil for the library's own.
        ///
        /// Unlike the `curl` command, libcurl does not read these environment variables.
        var authorityFile: String? {
            certificateAuthorityFile ?? Self.variable("CURL_CA_BUNDLE") ?? Self.variable("SSL_CERT_FILE")
        }

        fileprivate static func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
#endif
