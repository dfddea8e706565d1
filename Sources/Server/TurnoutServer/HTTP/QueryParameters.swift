import TurnoutClient

/// The parameters of a query or of a form, decoded, in their order.
package struct QueryParameters: Sendable, Equatable {
    /// A name and its value.
    package struct Parameter: Sendable, Equatable {
        package var name: String
        /// The value; empty without one.
        package var value: String
    }

    package private(set) var parameters: [Parameter] = []

    package init() {}

    /// Reads `name=value&name=value`, as in the query of an address or in a form. `+` is a blank; an invalid escape
    /// stands for itself, and invalid UTF-8 becomes U+FFFD.
    package init(parsing text: some StringProtocol) {
        for part in Substring(text).utf8.split(separator: UInt8(ascii: "&")) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let (name, value) = (Substring(part[..<end]), Substring(part[end...].dropFirst()))
            append(name.percentDecoded(plusIsBlank: true), value.percentDecoded(plusIsBlank: true))
        }
    }

    /// The first value of a name, or nil.
    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// All values of a name.
    package func values(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    package mutating func append(_ name: String, _ value: String) {
        parameters.append(Parameter(name: name, value: value))
    }
}

extension StringProtocol {
    /// The text with its percent-escapes decoded. An invalid escape stands for itself, and invalid UTF-8 becomes
    /// U+FFFD.
    package func percentDecoded(plusIsBlank: Bool = false) -> String {
        let percent = UInt8(ascii: "%"), plus = UInt8(ascii: "+")
        guard utf8.contains(where: { $0 == percent || plusIsBlank && $0 == plus }) else { return String(self) }
        return String(decoding: decodedBytes(plusIsBlank: plusIsBlank), as: UTF8.self)
    }

    /// Whether the text is UTF-8 when its percent-escapes are decoded.
    package var isUTF8WhenDecoded: Bool {
        !utf8.contains(UInt8(ascii: "%")) || String(validating: decodedBytes(plusIsBlank: false), as: UTF8.self) != nil
    }

    private func decodedBytes(plusIsBlank: Bool) -> [UInt8] {
        let percent = UInt8(ascii: "%"), plus = UInt8(ascii: "+")
        var decoded: [UInt8] = []
        decoded.reserveCapacity(utf8.count)
        var rest = Substring(self).utf8
        while let byte = rest.popFirst() {
            if byte == percent, let high = rest.first?.hexadecimalDigit,
                let low = rest.dropFirst().first?.hexadecimalDigit
            {
                decoded.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(plusIsBlank && byte == plus ? UInt8(ascii: " ") : byte)
            }
        }
        return decoded
    }
}
