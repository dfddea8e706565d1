/// Parses the address of one or more servers: `scheme://user:password@host:port,[::1]:port/path?name=value&…`.
///
/// Everything except the scheme and one host or path is optional. Reserved characters are percent-encoded. Errors name
/// the invalid part without repeating it, since a password may be anywhere by mistake.
package struct ServerAddress: Sendable {
    /// A host, a path, or both.
    package struct Place: Sendable, Equatable {
        /// A name or an IP address, IPv6 without brackets; nil if there is only a path.
        package let host: String?
        /// The port, from 1 to 65535; nil for the default port.
        package let port: Int?
        /// The path after the host, with its leading slash, or an empty string.
        package let path: String
    }

    /// The part before `://`, one of the allowed schemes.
    package let scheme: String
    /// The user to authenticate as; nil for the unnamed user, or no authentication.
    package let user: String?
    package let password: String?
    /// The comma-separated places, at least one.
    package let places: [Place]
    /// The parameters after the question mark.
    package let parameters: [AddressParameter]

    /// Parses an address.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - schemes: The allowed schemes, without `://`.
    /// - Throws: ``AddressError`` that names the invalid part.
    package init(_ text: String, schemes: [String]) throws(AddressError) {
        guard let scheme = schemes.first(where: { text.utf8.starts(with: ($0 + "://").utf8) }) else {
            let names = schemes.map { $0 + "://" }
            throw AddressError(
                names.count == 1
                    ? "the address does not begin with \(names[0])"
                    : "the address begins with none of \(names.joined(separator: ", "))")
        }
        let parts = text.dropFirst(scheme.count + 3)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // A password may contain an unescaped @; the parts that follow cannot.
        let at = parts[0].lastIndex(of: "@")
        let (user, password) = try Self.user(parts[0][..<(at ?? parts[0].startIndex)], isThere: at != nil)
        let rest = at.map { parts[0][$0...].dropFirst() } ?? parts[0]
        var places: [Place] = []
        for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
            places.append(try Place(part, number: places.count + 1))
        }
        var parameters: [AddressParameter] = []
        for part in parts.dropFirst().first?.split(separator: "&") ?? [] { parameters.append(AddressParameter(part)) }
        (self.scheme, self.user, self.password) = (scheme, user, password)
        (self.places, self.parameters) = (places, parameters)
    }

    /// Reads `user:password` or `:password`.
    private static func user(
        _ text: Substring, isThere: Bool
    ) throws(AddressError) -> (name: String?, password: String?) {
        guard isThere else { return (nil, nil) }
        guard let colon = text.firstIndex(of: ":") else {
            throw AddressError("a user name needs a password: user:password@, or :password@ for no name")
        }
        let name = try text[..<colon].decoded("the user name")
        return (name.isEmpty ? nil : name, try text[colon...].dropFirst().decoded("the password"))
    }
}

extension ServerAddress.Place: CustomStringConvertible {
    /// Creates a place with a host, which is a name or an IP address, and a port.
    package init(host: String, port: Int?) { self.init(host: host, port: port, path: "") }

    /// Creates a place for a Unix domain socket.
    package init(socket path: String) { self.init(host: nil, port: nil, path: path) }

    /// `host:port`, with an IPv6 address in brackets, or the path.
    package var description: String {
        guard let host else { return path }
        let name = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// Checks that the address is valid.
    ///
    /// - Throws: ``AddressError`` if it is not.
    package func check() throws(AddressError) {
        if let host {
            guard !host.isEmpty, !host.utf8.contains(0) else { throw AddressError("no host is named") }
            guard 1...65_535 ~= port ?? 1 else { throw AddressError("a port is from 1 to 65535") }
        } else {
            guard !path.isEmpty, !path.utf8.contains(0) else { throw AddressError("no path is named") }
            // The system's limit; libraries would truncate the path.
            guard path.utf8.count <= 103 else { throw AddressError("the path of a socket has at most 103 bytes") }
        }
    }

    /// Parses `host`, `host:port` or `[IPv6]:port`, each with or without a path, or a path.
    fileprivate init(_ text: Substring, number: Int) throws(AddressError) {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        let (host, port) = try Self.divided(text[..<slash], "host \(number)")
        path = try text[slash...].decoded("the path")
        self.host = try host.map { host throws(AddressError) in try host.decoded("host \(number)") }
        self.port = port
        guard self.host != nil || !path.isEmpty else { throw AddressError("host \(number) has no name") }
        guard
            self.host?.unicodeScalars.contains(where: { $0.value <= 0x20 || "/?#@[],".unicodeScalars.contains($0) })
                != true
        else { throw AddressError("the name of host \(number) contains an invalid character") }
    }

    private static func divided(
        _ text: Substring, _ what: String
    ) throws(AddressError) -> (host: Substring?, port: Int?) {
        guard !text.isEmpty else { return (nil, nil) }
        var (host, rest) = (text, Substring())
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else {
                throw AddressError("a bracket before \(what) is not closed")
            }
            (host, rest) = (text[..<close].dropFirst(), text[close...].dropFirst())
        } else if let colon = text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        guard !host.isEmpty else { throw AddressError("\(what) has no name") }
        guard let first = rest.first else { return (host, nil) }
        guard first == ":", let port = rest.dropFirst().wholeNumber, 1...65_535 ~= port else {
            throw AddressError("after \(what) and a colon there must be a port from 1 to 65535; IPv6 needs brackets")
        }
        return (host, port)
    }
}
