/// A person at a page.
struct ConsoleVisitor: Sendable, Equatable {
    /// The name of the token, or of the user whom a proxy names; nil on this machine without tokens.
    let name: String?
    /// What the person may see and do.
    let scopes: Set<ManagementScope>
    /// A secret that the person's forms carry, so that no other site can send them.
    let formToken: String
    /// Whether there is a session to end.
    let isSignedIn: Bool
}

/// A request for a page, of a person who may see it.
struct ConsoleRequest: Sendable {
    let visitor: ConsoleVisitor
    let head: RequestHead
    /// The values of the placeholders in the address.
    let parameters: [String]
    /// The fields of a form; empty for `GET`.
    var form: QueryParameters

    var query: QueryParameters { head.query }
}
