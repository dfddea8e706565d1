/// Unusual user ids.
package enum UnusualUsers {
    /// Empty, with spaces, line breaks and emoji, and one of 10 kB.
    package static let ids = [
        "", " ", "ada lovelace", "ada\nlovelace\r\n", "👩‍👩‍👧 lovelace", "lovelace{}\u{0}",
        String(repeating: "lovelace", count: 1_250),
    ]

    /// Whether a text contains one of these ids.
    package static func appear(in text: String) -> Bool { text.contains("lovelace") }
}
