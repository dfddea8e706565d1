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

    /// Whether every host that a request names is allowed: in `Host`, and in a proxy's `X-Forwarded-Host` and
    /// `Forwarded`. A request that names none is allowed: browsers always name one.
    ///
    /// In the Agent, the headers of proxies replace `Host`. But a web page can set them: with a name of its own that
    /// resolves to this machine, it could add an allowed one.
    package func allows(_ head: RequestHead) -> Bool {
        allowsAll
            || head.headers.fields.allSatisfy { field in
                if field.name.equalsIgnoringCase("Host") { return allows(field.value) }
                if field.name.equalsIgnoringCase("X-Forwarded-Host") {
                    return field.value.split(separator: ",").allSatisfy { allows($0.filter { $0 != " " }) }
                }
                return !field.name.equalsIgnoringCase("Forwarded")
                    || Self.forwardedHosts(field.value).allSatisfy(allows)
            }
    }

    private func allows(_ host: String) -> Bool {
        let name = Self.withoutPort(host)
        return names.contains(name) || suffixes.contains { name.utf8.reversed().starts(with: $0.utf8.reversed()) }
    }

    /// Whether an address is only reachable from this machine.
    package static func isLoopback(_ address: String) -> Bool {
        if ["::1", "localhost", "::ffff:127.0.0.1"].contains(address) { return true }
        // A name such as `127.attacker.example` is none.
        let parts = address.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func forwardedHosts(_ value: String) -> [String] {
        value.split { $0 == ";" || $0 == "," }
            .map { $0.drop { $0 == " " } }
            .filter { $0.lowercased().hasPrefix("host=") }
            .map { $0.dropFirst(5).filter { $0 != "\"" } }
    }

    /// The name in lower case, without a port and without the brackets of an IPv6 address.
    package static func withoutPort(_ host: String) -> String {
        if host.hasPrefix("[") {
            let name = host.dropFirst().prefix { $0 != "]" }
            let rest = host[name.endIndex...].dropFirst()
            return rest.isEmpty || rest.hasPrefix(":") ? name.lowercased() : host
        }
        // Every request is checked, and characters would take ten times as long as bytes.
        return Substring(host.utf8.prefix { $0 != UInt8(ascii: ":") }).lowercased()
    }
}
