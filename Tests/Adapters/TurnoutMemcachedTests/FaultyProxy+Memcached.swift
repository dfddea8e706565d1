extension FaultyProxy {
    /// Starts a proxy in front of a memcached server.
    convenience init(to upstream: ProfileServerAddress) throws {
        guard case .host(_, let port?) = upstream else { throw MemcachedProcess.Failure() }
        try self.init(to: port)
    }

    /// The address of the proxy.
    var server: ProfileServerAddress { .host("127.0.0.1", port: port) }
}
