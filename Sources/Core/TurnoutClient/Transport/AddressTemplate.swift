import TurnoutEngine

/// An address with a placeholder, such as `https://cdn.example.com/datafiles/{sdkKey}.json`.
///
/// The value is escaped, so that an untrusted one cannot lead to another address.
package struct AddressTemplate: Sendable, Equatable {
    /// Why there is no address. Contains neither the value nor the template, which may be secret.
    package struct Problem: Error, Equatable, CustomStringConvertible {
        /// A description of the problem.
        package let description: String
    }

    private let text: String
    private let placeholder: String

    /// Creates a template.
    ///
    /// - Parameters:
    ///   - text: The address. Surrounding spaces are ignored.
    ///   - placeholder: The name of the placeholder, `{` + placeholder + `}`. The vendor's `%@` is accepted as well.
    package init(_ text: String, placeholder: String) {
        self.text = text.trimmingBlanks
        self.placeholder = "{\(placeholder)}"
    }

    /// The address with the placeholder replaced.
    ///
    /// - Parameters:
    ///   - name: The value; everything but letters, digits, `-`, `_` and `.` is escaped.
    ///   - isRequired: Whether a template without the placeholder is rejected. Default: true.
    /// - Returns: The address.
    /// - Throws: ``Problem`` if the result is not an address.
    package func address(of name: String, isRequired: Bool = true) throws(Problem) -> String {
        guard !name.isEmpty else { throw Problem(description: "\(placeholder) is empty") }
        // Path segments of only dots lead to another folder, escaped or not.
        guard name != ".", name != ".." else {
            throw Problem(description: "\(placeholder) must not be \".\" or \"..\"")
        }
        let pieces = pieces
        guard pieces.count > 1 || !isRequired else {
            throw Problem(description: "the address does not contain \(placeholder)")
        }
        try check(pieces)
        return pieces.joined(separator: name.percentEncoded)
    }

    /// The parts between the placeholders.
    private var pieces: [String] {
        let (bytes, marks) = (Array(text.utf8), [Array(placeholder.utf8), Array("%@".utf8)])
        var pieces: [[UInt8]] = [[]]
        var place = 0
        while place < bytes.count {
            if let mark = marks.first(where: { bytes[place...].starts(with: $0) }) {
                pieces.append([])
                place += mark.count
            } else {
                pieces[pieces.count - 1].append(bytes[place])
                place += 1
            }
        }
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }

    private func check(_ pieces: [String]) throws(Problem) {
        // The transport decides which schemes are safe.
        let scheme = pieces[0].prefix { $0 != ":" }
        guard !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && $0.isLetter }),
            pieces[0].dropFirst(scheme.count).hasPrefix("://")
        else { throw Problem(description: "the address does not begin with a scheme such as https://") }
        for piece in pieces {
            guard piece.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw Problem(description: "the address contains a character that must be escaped")
            }
            guard !piece.contains(where: { $0 == "{" || $0 == "}" }) else {
                throw Problem(description: "the address contains a placeholder other than \(placeholder)")
            }
            guard Self.hasOnlyEscapes(Array(piece.utf8)) else {
                throw Problem(description: "the address contains a % that escapes nothing")
            }
        }
    }

    private static func hasOnlyEscapes(_ bytes: [UInt8]) -> Bool {
        bytes.indices.allSatisfy { place in
            bytes[place] != UInt8(ascii: "%")
                || (bytes.count > place + 2 && isHexDigit(bytes[place + 1]) && isHexDigit(bytes[place + 2]))
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

}

extension String {
    /// The text as a part of an address: everything but letters and digits of ASCII, `-`, `_` and `.` is escaped.
    package var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + byte.hexadecimal(width: 2, uppercase: true)
            }
        }
        return text
    }
}
