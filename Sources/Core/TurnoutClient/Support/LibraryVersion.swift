/// The version of this library, which its events, its `User-Agent` header and its command name.
package enum LibraryVersion {
    /// The version, as in the package's tag.
    package static let current = "0.1.0"
}
