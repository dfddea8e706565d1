/// Ids of users as nobody would choose them.
package enum OddUsers {
    /// Empty, with blanks, line breaks and emoji, and one of 10 kB.
    package static let ids = [
        "", " ", "ada lovelace", "ada\nlovelace\r\n", "👩‍👩‍👧 lovelace", "lovelace{}\u{0}",
        String(repeating: "lovelace", count: 1_250),
    ]

    /// Whether a text gives away one of them.
    package static func appear(in text: String) -> Bool { text.contains("lovelace") }
}
