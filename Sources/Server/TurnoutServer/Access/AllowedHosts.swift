/// The host names that requests may address.
///
/// The check keeps web pages from reaching a server on the user's machine through a host name that they control.
package struct AllowedHosts: Sendable {
    private let names: Set<String>
    private let suffixes: [String]
    private let allowsAll: Bool

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - names: The names: `.example.com` stands for all subdomains, `.` for any host. Nil for the names of this
    ///     machine if the server listens on the loopback address, otherwise any host.
    ///   - address: The address that the server listens on, which is always allowed.
    package init(_ names: [String]?, listeningOn address: String) {
        let names = names ?? (Self.isLoopback(address) ? ["localhost", "127.0.0.1", "::1"] : ["."])
        let lowercased = names.map { $0.lowercased() }
        allowsAll = lowercased.contains(".")
        suffixes = lowercased.filter { $0.hasPrefix(".") }
        self.names = Set(lowercased.filter { !$0.hasPrefix(".") } + [address.lowercased()])
    }

    /// Whether a request addresses an allowed host. A proxy's `X-Forwarded-Host`, then `Forwarded`, take precedence
    /// over `Host`, as in the Agent. A request that names no host is allowed: browsers always name one.
    package func allows(_ head: RequestHead) -> Bool {
        guard !allowsAll, let host = Self.host(of: head) else { return true }
        return names.contains(host) || suffixes.contains { host.hasSuffix($0) }
    }

    /// Whether an address is only reachable from this machine.
    package static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address == "localhost" || address.hasPrefix("127.") || address == "::ffff:127.0.0.1"
    }

    private static func host(of head: RequestHead) -> String? {
        let forwarded = head.headers["Forwarded"]?.split { $0 == ";" || $0 == "," }.lazy
            .map { $0.drop { $0 == " " } }
            .first { $0.lowercased().hasPrefix("host=") }
            .map { String($0.dropFirst(5)).filter { $0 != "\"" } }
        return (head.headers["X-Forwarded-Host"] ?? forwarded ?? head.headers["Host"]).map(withoutPort)
    }

    /// The name in lower case, without a port and without the brackets of an IPv6 address.
    private static func withoutPort(_ host: String) -> String {
        if host.hasPrefix("[") { return host.dropFirst().prefix { $0 != "]" }.lowercased() }
        // Every request is checked, and characters would take ten times as long as bytes.
        return Substring(host.utf8.prefix { $0 != UInt8(ascii: ":") }).lowercased()
    }
}
