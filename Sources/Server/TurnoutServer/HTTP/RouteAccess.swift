/// The requests that a route answers. Enforced before the route is called; see ``AccessControl``.
package enum RouteAccess: Sendable, Equatable {
    /// All requests, without limits: whether the server is alive and ready.
    case open
    /// Requests of clients: limited per SDK key, and available to web pages.
    case client
    /// Events of clients, which are never refused for their rate: several clients do not send them again.
    case intake
    /// Requests with a management token of a scope, not available to web pages.
    case management(ManagementScope)
}

/// The operations that a management token allows.
package enum ManagementScope: String, Sendable, CaseIterable {
    /// Reading the status, the metrics, the names of lists and configurations, and the weights of bandits.
    case read
    /// Changing lists of users.
    case flags
    /// Reading the users of lists, and the segments and devices of a user, which are personal data. No route reads
    /// events.
    case events
    /// Forgetting users: deleting their events, assignments, and places in lists.
    case users
}
