/// An error whose description contains no personal data and no secrets, so it may be logged at any level.
package protocol PrintableError: Error, CustomStringConvertible {}

extension Error {
    /// The loggable description of any error: the full description if it contains no personal data, otherwise only the
    /// kind of error: `NSURLErrorDomain -1009`, `StoreError.locked`. Descriptions from other code may contain an
    /// address or a user.
    package var logText: String {
        if let error = self as? any PrintableError { return error.description }
        let (type, mirror) = (String(reflecting: type(of: self)), Mirror(reflecting: self))
        // Errors from Foundation and the system are identified by a domain and a number.
        guard _domain == type else { return "\(_domain) \(_code)" }
        let name = String(describing: Swift.type(of: self))
        guard mirror.displayStyle == .enum else { return name }
        if let label = mirror.children.first?.label { return "\(name).\(label)" }
        // Through `Any`, because with Foundation imported the compiler considers every error convertible.
        return (self as Any) is any CustomStringConvertible ? name : "\(name).\(self)"
    }
}
