import TurnoutEngine

/// Any text as part of Swift code.
package enum SwiftText {
    /// The text as a string literal.
    package static func literal(_ text: String) -> String { "\"" + escaped(text) + "\"" }

    /// The text on one line, with escapes as in a string literal.
    ///
    /// Invisible characters are escaped as well: some change the direction of the text after them, so that code would
    /// not mean what a reviewer sees.
    package static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isVisible(scalar): result.unicodeScalars.append(scalar)
            default: result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            }
        }
    }

    /// The lines of a documentation comment.
    package static func documentation(_ text: String) -> [String] {
        let lines = text.unicodeScalars.split(omittingEmptySubsequences: false) { isNewline($0) }.map { line in
            String(String.UnicodeScalarView(line.map { isVisible($0) ? $0 : " " })).trimmingBlanks
        }
        let start = lines.drop { $0.isEmpty }
        let count = start.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? start.startIndex
        return start.prefix(upTo: count).map { $0.isEmpty ? "///" : "/// " + $0 }
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        ["\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalar)
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
