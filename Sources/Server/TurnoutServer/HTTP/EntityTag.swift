import TurnoutClient
import TurnoutEngine

/// Entity tags: which version of a content a client has.
package enum EntityTag {
    /// The tag of a content, with its quotation marks. Equal contents have equal tags on every server; a hash of 128
    /// bits makes equal tags for different contents improbable, but does not protect against deliberate ones.
    ///
    /// - Complexity: O(*n*), about 0.3 ns per byte.
    package static func of(_ content: UnsafeRawBufferPointer) -> String {
        var (low, high): (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, UInt64(truncatingIfNeeded: content.count))
        var offset = 0
        while offset + 8 <= content.count {
            mix(UInt64(littleEndian: content.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), &low, &high)
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < content.count {
            rest = rest << 8 | UInt64(content[offset])
            offset += 1
        }
        mix(rest, &low, &high)
        mix(0, &low, &high)
        return "\"" + low.hexadecimal(width: 16) + high.hexadecimal(width: 16) + "\""
    }

    /// Whether a client has the current version of a content, by `If-None-Match` or else by `If-Modified-Since`.
    ///
    /// Clients that compare times send back the one that they were given. Any other time belongs to another version,
    /// for example after a file was restored, or on a server whose clock differs.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - tag: The tag of the current version.
    ///   - lastModified: The time of the current version, in seconds since 1970.
    /// - Returns: Whether the answer is 304.
    static func isCurrent(_ head: RequestHead, _ tag: String, lastModified: Int64) -> Bool {
        if head.headers["If-None-Match"] != nil { return isNamed(tag, in: head) }
        return head.headers["If-Modified-Since"].flatMap(HTTPDate.millisecondsSince1970) == lastModified * 1_000
    }

    /// Whether `If-None-Match` names a tag. Weak tags are compared like strong ones, as RFC 9110 demands here.
    package static func isNamed(_ tag: String, in head: RequestHead) -> Bool {
        guard let text = head.headers["If-None-Match"] else { return false }
        // Most clients name the one tag that they have.
        if text == tag { return true }
        return text.split(separator: ",").contains { part in
            let name = part.drop { $0 == " " }
            let strong = name.hasPrefix("W/") ? name.dropFirst(2) : name
            return strong.prefix { $0 != " " } == tag || strong == "*"
        }
    }

    /// Multiplies to 128 bits, which spreads each bit of the input over both halves.
    @inline(__always)
    private static func mix(_ word: UInt64, _ low: inout UInt64, _ high: inout UInt64) {
        let product = (low ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        let other = (high &+ word).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        low = product.high ^ other.low
        high = other.high ^ product.low
    }
}
