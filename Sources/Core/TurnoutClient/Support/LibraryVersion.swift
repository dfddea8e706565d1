/// The version of this library, for events, the `User-Agent` header, the command and the server.
package enum LibraryVersion {
    /// The version, as in the package's tag.
    package static let current = "0.1.0"

    /// The commit and its day in sources that `git archive` wrote, as those of a release; nil in a checkout.
    package static let commit = archived("$Format:%h of %cs$")

    private static func archived(_ text: String) -> String? { text.hasPrefix("$") ? nil : text }
}
