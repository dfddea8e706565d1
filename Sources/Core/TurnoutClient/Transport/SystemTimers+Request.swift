extension SystemTimers {
    /// Prepares timers for a request of a URL session, which uses them.
    ///
    /// - Throws: ``TransportError`` if there are too few file descriptors.
    package static func prepareForRequest(to host: String) throws(TransportError) {
        guard prepare() else {
            throw TransportError(.unreachable, "the process has no file descriptors left for a request to \(host)")
        }
    }
}
