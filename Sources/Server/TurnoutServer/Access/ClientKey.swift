/// The SDK key of a request, and the token for its datafile if the request carries one.
package struct ClientKey: Sendable, Hashable {
    package let sdkKey: String
    /// The token for a protected datafile, or nil.
    package let accessToken: String?

    package init(sdkKey: String, accessToken: String? = nil) {
        self.sdkKey = sdkKey
        self.accessToken = accessToken
    }

    /// Reads `key` or `key:token`.
    package init(_ text: String) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        sdkKey = colon.map { String(text[..<$0]) } ?? text
        accessToken = colon.map { String(text[text.index(after: $0)...]) }
    }

    /// The header of the Agent's interface.
    package static let header = "X-Optimizely-SDK-Key"
    package static let apiKeyHeader = "X-API-Key"
}

extension RequestHead {
    /// The key in the header `X-Optimizely-SDK-Key`, else in `X-API-Key`; nil without both, and if it is empty.
    package var clientKey: ClientKey? {
        guard let text = headers[ClientKey.header] ?? headers[ClientKey.apiKeyHeader], !text.isEmpty else { return nil }
        return ClientKey(text)
    }

    /// Moves the SDK key of a path such as `/p/KEY/ofrep/v1/…` to the header, for clients that cannot set headers. A
    /// header takes precedence.
    package mutating func moveKeyFromPath() {
        guard path.utf8.starts(with: "/p/".utf8) else { return }
        let parts = path.dropFirst(3).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else { return }
        path = "/" + parts[1]
        if clientKey == nil { headers[ClientKey.header] = parts[0].percentDecoded() }
    }
}

extension String {
    /// The beginning of a key and a few digits that tell keys apart, for logs and metrics: `ShopDe…3f2a91`.
    package var keyLabel: String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash >> 40 | 0x100_0000, radix: 16).dropFirst()
        return String(prefix(min(6, utf8.count / 2))) + "…" + digits
    }
}
