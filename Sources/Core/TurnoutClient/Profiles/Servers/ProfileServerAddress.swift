/// The address of a server that stores profiles.
public enum ProfileServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A port of a host, which is a name or an IP address. nil: the standard port of the store, 6379 for Redis and
    /// 11211 for memcached.
    ///
    /// The name is resolved for each new connection. Of several IP addresses the first that responds is used.
    case host(String, port: Int? = nil)
    /// A socket in the file system.
    case unixSocket(path: String)

    /// `host:port`, with an IPv6 address in brackets, or the path.
    public var description: String { place.description }

    package var place: ServerAddress.Place {
        switch self {
        case .host(let host, let port): ServerAddress.Place(host: host, port: port)
        case .unixSocket(let path): ServerAddress.Place(socket: path)
        }
    }

    /// Checks the address, and adds the standard port where there is none.
    ///
    /// - Throws: `AddressError` if no server can have this address.
    package func resolved(standardPort: Int) throws(AddressError) -> ProfileServerAddress {
        try place.check()
        guard case .host(let host, nil) = self else { return self }
        return .host(host, port: standardPort)
    }
}
