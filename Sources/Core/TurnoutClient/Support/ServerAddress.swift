/// An address of servers as text, taken apart: `scheme://user:password@host:port,[::1]:port/path?name=value&…`.
///
/// All but the scheme and one host or path may be missing. Characters that mean something are written as `%` and two
/// digits. Errors say which part is wrong and repeat nothing of it, since there may be a password anywhere by mistake.
package struct ServerAddress: Sendable {
    /// A host, a path, or both.
    package struct Place: Sendable, Equatable {
        /// A name or a number, that of IPv6 without its brackets; nil: there is only a path.
        package let host: String?
        /// The port, from 1 to 65535; nil: the usual one.
        package let port: Int?
        /// What follows the host, with the slash that it begins with; empty: nothing.
        package let path: String
    }

    /// What is before `://`, one of those that were allowed.
    package let scheme: String
    /// Who asks; nil: a user without a name, or none.
    package let user: String?
    /// The password; nil: none.
    package let password: String?
    /// What commas separate, at least one.
    package let places: [Place]
    /// What follows the question mark.
    package let parameters: [AddressParameter]

    /// Takes a text apart.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - schemes: How it may begin, without `://`.
    /// - Throws: ``AddressError`` that names the part which cannot be read.
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
        // A password may contain an @ by mistake; what follows it cannot.
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
    /// A port of a host, which is a name or a number.
    package init(host: String, port: Int) { self.init(host: host, port: port, path: "") }

    /// A socket in the file system.
    package init(socket path: String) { self.init(host: nil, port: nil, path: path) }

    /// `host:port`, with an IPv6 address in brackets, or the path.
    package var description: String {
        guard let host else { return path }
        let name = host.contains(":") ? "[\(host)]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// Sees whether anybody can listen there.
    ///
    /// - Throws: ``AddressError`` that says why not.
    package func check() throws(AddressError) {
        if let host {
            guard !host.isEmpty, !host.utf8.contains(0) else { throw AddressError("no host is named") }
            guard 1...65_535 ~= port ?? 1 else { throw AddressError("a port is from 1 to 65535") }
        } else {
            guard !path.isEmpty, !path.utf8.contains(0) else { throw AddressError("no path is named") }
            // More does not fit where the system wants it; libraries would cut it off.
            guard path.utf8.count <= 103 else { throw AddressError("the path of a socket has at most 103 bytes") }
        }
    }

    /// Reads `host`, `host:port`, `[IPv6]:port`, each with or without a path, or a path.
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
        else { throw AddressError("the name of host \(number) contains what no name does") }
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
            throw AddressError("after \(what) and a colon there is no port from 1 to 65535; IPv6 stands in brackets")
        }
        return (host, port)
    }
}
