extension HTTPRequest {
    /// Checks what any transport refuses before anything goes out. The address may still turn out to be none.
    ///
    /// - Throws: `TransportError` with the code `badAddress` or `deadlineExceeded`. The texts hold nothing of the
    ///   request.
    package func check(_ options: TransportOptions) throws(TransportError) {
        guard deadline > .zero else { throw TransportError(.deadlineExceeded, "no time for an answer") }
        try checkAddress(options)
        try Self.checkHeader("User-Agent", options.userAgent)
        for (name, value) in headers { try Self.checkHeader(name, value) }
    }

    /// The headers to send: the length and the coding of the body are up to the transport.
    package var headersToSend: [String: String] {
        headers.filter { !["content-length", "transfer-encoding"].contains($0.key.lowercased()) }
    }

    private func checkAddress(_ options: TransportOptions) throws(TransportError) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts.count > 1 ? parts[1].prefix { !"/?#".contains($0) } : ""
        guard url.utf8.allSatisfy(Self.isAddressByte), !host.isEmpty, !host.hasPrefix(":") else {
            throw TransportError(.badAddress, "the address cannot be read, or names no host")
        }
        guard !host.contains("@") else {
            throw TransportError(.badAddress, "the address holds a user name; that belongs into a header")
        }
        switch parts[0].lowercased() {
        case "https": return
        case "http" where options.allowsInsecureHTTP: return
        case "http": throw TransportError(.badAddress, "http is not allowed, only https")
        default: throw TransportError(.badAddress, "the address is not one of https")
        }
    }

    private static func checkHeader(_ name: String, _ value: String) throws(TransportError) {
        guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
            throw TransportError(.badAddress, "the name of a header holds what must not be in there")
        }
        // A line break would end the header and begin another one.
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw TransportError(.badAddress, "a header holds a line break or another control character")
        }
    }

    /// Whether a byte may be in an address: RFC 3986, 2. Brackets are for hosts, and escapes begin with a `%`.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
    }

    /// Whether a byte may be in the name of a header: RFC 9110, 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
