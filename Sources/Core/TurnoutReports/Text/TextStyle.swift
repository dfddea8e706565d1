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
