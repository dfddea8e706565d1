extension HTTPRequest {
    /// Checks for problems that any transport rejects before sending. The address may still turn out to be invalid.
    ///
    /// - Throws: `TransportError` with the code `badAddress` or `deadlineExceeded`. Its message contains only the host
    ///   name of the request.
    package func check(_ options: TransportOptions) throws(TransportError) {
        guard deadline > .zero else {
            throw TransportError(.deadlineExceeded, "the request was not sent: its time limit is zero or less")
        }
        try checkAddress(options)
        try Self.checkHeader("User-Agent", options.userAgent)
        for (name, value) in headers { try Self.checkHeader(name, value) }
    }

    /// The headers to send: the transport sets the length and the encoding of the body.
    package var headersToSend: [String: String] {
        headers.filter { !["content-length", "transfer-encoding"].contains($0.key.lowercased()) }
    }

    private func checkAddress(_ options: TransportOptions) throws(TransportError) {
        guard url.utf8.allSatisfy(Self.isAddressByte), !authority.isEmpty, !authority.hasPrefix(":") else {
            throw .unreadableAddress
        }
        guard !authority.contains("@") else {
            throw TransportError(
                .badAddress, "the address contains a user name, which is not sent; use an Authorization header")
        }
        switch url.prefix(while: { $0 != ":" }).lowercased() {
        case "https": return
        case "http" where options.allowsInsecureHTTP || isLoopback: return
        case "http":
            throw TransportError(
                .badAddress,
                "http://\(authority) is refused because nothing would be encrypted; use https, or set "
                    + "allowsInsecureHTTP if this host may be reached without encryption")
        default: throw TransportError(.badAddress, "the address does not begin with https://")
        }
    }

    /// The host and the port, if any, as in the address: `cdn.example.com`, `127.0.0.1:8080`. Empty if there is no
    /// host.
    package var authority: Substring {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count > 1 ? parts[1].prefix { !"/?#".contains($0) } : ""
    }

    /// Whether the host is certainly this machine: `localhost`, `127.0.0.0/8` or `[::1]`.
    package var isLoopback: Bool {
        let authority = authority.lowercased()
        if authority.hasPrefix("[") { return authority == "[::1]" || authority.hasPrefix("[::1]:") }
        let host = authority.prefix { $0 != ":" }
        if host == "localhost" { return true }
        // Only four decimal numbers: some resolvers treat other spellings as names.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { number in
                number.utf8.allSatisfy { $0 &- 0x30 < 10 } && (UInt8(number).map { "\($0)" == number } ?? false)
            }
    }

    /// Whether the scheme is plain `http`.
    package var isPlainHTTP: Bool { url.lowercased().hasPrefix("http://") }

    private static func checkHeader(_ name: String, _ value: String) throws(TransportError) {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw TransportError(
                .badAddress, "the name of a header is empty or contains a character that is not allowed there")
        }
        // A line break would end the header and start another one.
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw TransportError(
                .badAddress, "the value of a header contains a line break or another control character")
        }
    }

    /// Whether a byte is allowed in an address: RFC 3986, 2. Brackets are for hosts, and escapes begin with a `%`.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    /// Whether a byte is allowed in a header name: RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

extension TransportError {
    package static let unreadableAddress = TransportError(
        .badAddress, "the address cannot be read, or names no host; an address looks like https://host/path")
}

extension SystemTimers {
    /// Prepares timers for a request of a URL session, which uses them.
    ///
    /// - Throws: ``TransportError`` if there are too few file descriptors.
    package static func prepareForRequest(to host: String) throws(TransportError) {
        guard prepare() else {
            throw TransportError(.unreachable, "the process has no file descriptors left for a request to \(host)")
        }
    }
}
