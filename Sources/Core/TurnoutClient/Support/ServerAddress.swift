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

/// A problem with an address, in English. Repeats only known parameter names from the address.
package struct AddressError: Error, Equatable {
    /// A description of the problem.
    package let message: String

    /// Creates an error with a human-readable message.
    package init(_ message: String) { self.message = message }
}

/// A parameter of an address, `name=value`.
///
/// Errors contain the name, so check that it is a known one before reading the value.
package struct AddressParameter: Sendable {
    /// The part before the `=`.
    package let name: String
    /// The part after the `=`, without decoding; nil if there is none.
    private let value: Substring?

    init(_ text: Substring) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        name = String(parts[0])
        value = parts.count > 1 ? parts[1] : nil
    }

    /// The value as a string.
    package func text() throws(AddressError) -> String {
        guard let value else { throw AddressError("\(name) has no value") }
        return try value.decoded(name)
    }

    /// The value as an integer.
    package func number(in range: ClosedRange<Int>) throws(AddressError) -> Int {
        guard let number = try text()[...].wholeNumber, range ~= number else {
            throw AddressError("\(name) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static let units = [
        ("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("", 1_000),
    ]
    /// More than a century must be a mistake.
    private static let longest = 36_525 * 86_400_000

    /// The value as a time above 0: an integer with the unit `ms`, `s`, `m`, `h` or `d`, or in seconds without a unit.
    package func duration() throws(AddressError) -> Duration {
        let text = try text()
        for (unit, milliseconds) in Self.units where text.hasSuffix(unit) {
            guard let number = text.dropLast(unit.count).wholeNumber, number > 0, number <= Self.longest / milliseconds
            else { break }
            return .milliseconds(number * milliseconds)
        }
        throw AddressError("\(name) is not a time above 0, such as 250ms, 30s, 12h or 90d")
    }

    /// An error for an unknown parameter.
    package static func unknown(expected names: [String]) -> AddressError {
        AddressError("the address has an unknown parameter; the known ones are \(names.joined(separator: ", "))")
    }
}

extension Substring {
    /// The number that the digits represent, or nil if there are no digits, other characters, or too many digits.
    package var wholeNumber: Int? {
        guard !isEmpty, utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return Int(self)
    }

    /// The string with its percent escapes decoded.
    ///
    /// - Throws: ``AddressError`` that describes the string as `what`, if an escape is invalid.
    func decoded(_ what: String) throws(AddressError) -> String {
        var bytes: [UInt8] = []
        var rest = utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalDigit, let low = rest.popFirst()?.hexadecimalDigit else {
                throw AddressError("\(what): a percent sign needs two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AddressError("\(what): the percent escapes are not UTF-8")
        }
        return text
    }
}

extension UInt8 {
    /// The number that the character stands for; nil if it is no hexadecimal digit.
    package var hexadecimalDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
