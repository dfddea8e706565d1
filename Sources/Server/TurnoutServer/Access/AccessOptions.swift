/// The rules of access: clients, origins and rates.
package struct AccessOptions: Sendable, Equatable {
    /// The file of management tokens; see ``ManagementTokens``. Default: nil, no tokens: only this machine may read the
    /// status and the metrics, and the rest of the management is refused.
    package var tokenFile: String?
    /// Whether, without tokens, requests from this machine have all scopes of ``ManagementScope``: they may also change
    /// lists of users, read the users of lists, and forget users. Default: false, because a proxy on this machine that
    /// adds no `X-Forwarded-For` would open this to all its clients.
    package var allowsLocalManagement = false
    /// Whether each client with an SDK key, which is no secret, may read and replace the assignments of all users:
    /// `/v1/lookup` and `/v1/save` of the Agent's interface. Default: false, but as in the Agent, a default service for
    /// assignments in its settings opens these routes, too, if no other store takes its place.
    package var allowsProfileRoutes = false
    /// The host names that requests may address. `.example.com` stands for all subdomains, `.` for any host. Default:
    /// nil; the names of this machine if the server listens on the loopback address only, otherwise any.
    package var allowedHosts: [String]?
    /// The requests per second and SDK key; 0 for no limit. Default: 0.
    package var requestsPerSecond = 0.0
    /// The number of requests of a key that may come at once. Default: 100.
    package var burst = 100
    /// The web pages that may call the server.
    package var cors = CORSOptions()

    package init() {}
}

/// Which web pages may call the server: Cross-Origin Resource Sharing.
///
/// It applies to the routes of clients, which need an SDK key and use no cookies. Management routes are not available
/// to web pages.
package struct CORSOptions: Sendable, Equatable {
    /// The origins, such as `https://shop.example`; `*` for all. Default: all, as in the Agent.
    package var origins = ["*"]
    /// Further request headers that pages may set; `*` for all that they ask for. Default: none; those of the server's
    /// clients are always allowed.
    package var headers: [String] = []
    /// Further response headers that pages can read. Default: none; those that the server's clients need can always be
    /// read.
    package var exposedHeaders: [String] = []
    /// How long browsers keep the answer to a preflight request. Default: 5 minutes, as in the Agent.
    package var maximumAge = Duration.seconds(300)

    package init() {}
}
