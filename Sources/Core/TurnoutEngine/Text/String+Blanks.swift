extension Unicode.Scalar {
    /// Whether the reference trims the character from ids and keys: it is in Foundation's `CharacterSet.whitespaces`.
    var isBlank: Bool {
        switch value {
        case 0x09, 0x20, 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }
}

extension String {
    /// The string without leading and trailing blanks: tabs and spaces of any width.
    package var trimmingBlanks: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isBlank }),
            let last = scalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(scalars[first...last])
    }
}
