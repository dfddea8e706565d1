public import TurnoutClient

/// The servers that store assignments, the time to live, and the time limits.
///
/// ```swift
/// var options = try MemcachedOptions(url: "memcached://cache1:11211,cache2:11211?prefix=shop:")
/// options.timeToLive = .seconds(30 * 86_400)
/// let store = try MemcachedProfileStore(options)
/// ```
public struct MemcachedOptions: Sendable, Equatable {
    /// The servers over which users are distributed. Their order does not matter, but their spelling does: it
    /// determines the hash. Default: one, on port 11211 of this machine.
    public var servers: [ProfileServerAddress]
    /// The prefix of all keys: up to 128 visible ASCII characters. Default: `turnout:`.
    public var prefix = "turnout:"
    /// How long a profile is kept after its last change, in whole seconds, at least one. Default: nil, until the server
    /// needs the memory.
    public var timeToLive: Duration?
    /// The time limit for a whole call, however many users and servers it involves. Default: 1 second. The connect and
    /// response timeouts are at most half of it.
    public var timeout: Duration = .seconds(1)
    /// The time limit for opening a connection, including host name resolution. Default: 250 milliseconds.
    public var connectTimeout: Duration = .milliseconds(250)
    /// The longest time that a server may be silent during a request. Default: 250 milliseconds.
    public var responseTimeout: Duration = .milliseconds(250)
    /// How long a server that is down is skipped before one call tries it again, with 25% jitter. Default: 2 seconds.
    public var retryInterval: Duration = .seconds(2)
    /// The most connections to one server; further calls wait until one is free. Default: 8.
    public var maximumConnections = 8

    /// The standard options; change what you need.
    public init(servers: [ProfileServerAddress] = [.host("127.0.0.1")]) { self.servers = servers }

    /// The options with every duration and number limited to its valid range.
    ///
    /// - Throws: `ProfileServerError` if there is no server or a duplicate one, or the prefix is invalid in a key.
    func checked() throws(ProfileServerError) -> MemcachedOptions {
        guard !servers.isEmpty else { throw ProfileServerError(.badOptions, "no server is named") }
        var options = self
        do throws(AddressError) {
            options.servers = []
            for server in servers { options.servers.append(try server.resolved(standardPort: 11_211)) }
        } catch { throw ProfileServerError(.badOptions, error.message) }
        guard Set(options.servers).count == servers.count else {
            throw ProfileServerError(.badOptions, "a server is named twice")
        }
        guard prefix.utf8.count <= ProfileKey.longestPrefix, prefix.utf8.allSatisfy(ProfileKey.isVisible) else {
            throw ProfileServerError(
                .badOptions, "the prefix is not up to \(ProfileKey.longestPrefix) visible ASCII characters")
        }
        options.maximumConnections = max(1, min(1_000, maximumConnections))
        for limit in [\Self.timeout, \.connectTimeout, \.responseTimeout, \.retryInterval] {
            options[keyPath: limit] = min(max(.milliseconds(1), self[keyPath: limit]), .seconds(86_400))
        }
        // A server that does not respond is detected early enough to try the next one within the call.
        for limit in [\Self.connectTimeout, \.responseTimeout] {
            options[keyPath: limit] = min(options[keyPath: limit], options.timeout / 2)
        }
        return options
    }

    /// The expiration of a value stored now, in memcached's format: 0 for never, up to 30 days as seconds from now, and
    /// beyond as seconds since 1970. Times after 2038 mean never.
    package func expiration(at clock: some WallClock) -> Int {
        guard let timeToLive else { return 0 }
        let seconds = max(1, Int((min(timeToLive, .seconds(Int32.max)) / .seconds(1)).rounded(.up)))
        guard seconds > 30 * 86_400 else { return seconds }
        let end = seconds + Int(clock.millisecondsSince1970() / 1_000)
        return end > Int(Int32.max) ? 0 : end
    }

    private static let parameters = [
        "prefix", "ttl", "timeout", "connect-timeout", "connections", "response-timeout", "retry",
    ]

    /// Reads options from a URL such as `memcached://cache1:11211,cache2?prefix=shop:&ttl=30d`.
    ///
    /// Servers are separated by commas: `host`, `host:port`, `[IPv6]:port`, or the path of a Unix socket, as in
    /// `memcached:///run/memcached.sock`.
    ///
    /// Optional parameters follow a question mark, joined by `&`: `prefix`, `ttl`, `timeout`, `connect-timeout`,
    /// `connections`, `response-timeout` and `retry`. Times are whole numbers with a unit: `ms`, `s`, `m`, `h` or `d`;
    /// without one they are seconds. Delimiters within values are percent-encoded, such as `%2C`.
    ///
    /// - Throws: `ProfileServerError` that names the invalid part. It does not quote the URL, which may contain a
    ///   password by mistake.
    public init(url: String) throws(ProfileServerError) {
        do throws(AddressError) { try self.init(ServerAddress(url, schemes: ["memcached"])) } catch {
            throw ProfileServerError(.badOptions, error.message)
        }
        self = try checked()
    }

    private init(_ address: ServerAddress) throws(AddressError) {
        guard address.user == nil, address.password == nil else {
            throw AddressError("there is a user or a password, which this store does not send to memcached")
        }
        var servers: [ProfileServerAddress] = []
        for place in address.places {
            switch (place.host, place.path) {
            case (let host?, ""): servers.append(.host(host, port: place.port))
            case (nil, let path): servers.append(.unixSocket(path: path))
            default: throw AddressError("there is a path after the name of host \(servers.count + 1)")
            }
        }
        self.init(servers: servers)
        for parameter in address.parameters { try set(parameter) }
    }

    private mutating func set(_ parameter: AddressParameter) throws(AddressError) {
        switch parameter.name {
        case "prefix": prefix = try parameter.text()
        case "ttl": timeToLive = try parameter.duration()
        case "timeout": timeout = try parameter.duration()
        case "connect-timeout": connectTimeout = try parameter.duration()
        case "connections": maximumConnections = try parameter.number(in: 1...1_000)
        case "response-timeout": responseTimeout = try parameter.duration()
        case "retry": retryInterval = try parameter.duration()
        default: throw AddressParameter.unknown(expected: Self.parameters)
        }
    }
}
