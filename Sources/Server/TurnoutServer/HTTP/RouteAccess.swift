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
    /// Reading the status and the metrics.
    case read
    /// Changing flags, segments and configurations.
    case flags
    /// Reading and exporting events, which contain personal data.
    case events
    /// Forgetting users: deleting their events, assignments, and places in lists.
    case users
}
