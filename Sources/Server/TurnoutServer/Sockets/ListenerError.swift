/// Why a listener cannot start.
package struct ListenerError: Error, Sendable, CustomStringConvertible {
    /// The failure, its cause, and the remedy.
    package let description: String

    init(_ description: String) { self.description = description }
}
