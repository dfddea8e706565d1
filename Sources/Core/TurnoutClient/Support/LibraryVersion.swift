/// The version of this library, for events, the `User-Agent` header, the command and the server.
package enum LibraryVersion {
    /// The version, as in the package's tag.
    package static let current = "0.1.0"
}
