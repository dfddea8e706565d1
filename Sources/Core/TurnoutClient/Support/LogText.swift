// The format of numbers and texts in logs and errors.

extension Duration {
    /// The duration as in logs: `2 s`, `0.25 s`, `150 ms`.
    package var logText: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard seconds != 0 || milliseconds == 0 else { return "\(milliseconds) ms" }
        guard milliseconds != 0 else { return "\(seconds) s" }
        let digits = "\(abs(milliseconds) + 1_000)".dropFirst()
        return "\(seconds).\(digits.reversed().drop { $0 == "0" }.reversed().map(String.init).joined()) s"
    }

    /// The duration rounded to a tenth of a second, or to seconds or minutes if it is longer: `0.2 s`, `45 s`, `5 min`.
    package var roundedLogText: String {
        let tenths = max(1, Int((min(self, .seconds(31_536_000)) / .milliseconds(100)).rounded()))
        switch tenths {
        case ..<100: return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
        case ..<1_200: return "\(tenths / 10) s"
        default: return "\((tenths + 300) / 600) min"
        }
    }
}

extension Int {
    /// The number with its noun: `1 event`, `2 events`.
    package func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

extension String {
    /// Enough of an SDK key to identify it, in quotes. Whole keys are not logged.
    package var shortenedKey: String { count > 4 ? "\"\(prefix(4))…\"" : "\"\(self)\"" }

    /// The text with its line breaks replaced, so that it cannot forge an entry of a log.
    package var onOneLine: String {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "⏎")
    }
}
