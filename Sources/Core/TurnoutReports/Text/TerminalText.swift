extension String {
    /// The text with symbols in place of control characters, so it cannot move the cursor or break a line.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? $0.picture : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether the scalar controls the terminal instead of being shown, including bidirectional controls.
    package var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// A control picture such as `␛` if there is one, or `�`.
    var picture: Unicode.Scalar {
        value == 0x7F ? "\u{2421}" : value < 0x20 ? Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}" : "\u{FFFD}"
    }
}

extension Int {
    /// The number with thousands separators: `1,240,000`.
    package var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// The number with its noun: `1 error`, `2,000 errors`.
    package func grouped(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}

/// A text style, if color is enabled.
package enum TextStyle: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case cyan = "36"
}

extension String {
    /// The text in a style if color is enabled, otherwise unchanged.
    package func styled(_ style: TextStyle?, if hasColor: Bool) -> String {
        guard hasColor, let style, !isEmpty else { return self }
        return "\u{1B}[\(style.rawValue)m\(self)\u{1B}[0m"
    }
}
