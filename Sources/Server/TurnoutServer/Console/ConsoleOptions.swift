/// The options of the pages for people.
package struct ConsoleOptions: Sendable, Equatable {
    /// How pages change the project file.
    package enum Editing: String, Sendable, CaseIterable {
        /// Not at all.
        case off
        /// They show the change as a patch, for a person to apply and to commit.
        case patch
        /// They write the file.
        case file
    }

    /// How pages change the project file. Default: nil; as a patch if the file is in git, otherwise in the file.
    package var editing: Editing?
    /// The address of a proxy that signs people in and names them in ``userHeader``. The proxy must remove that header
    /// from the requests that it receives. Default: nil, people sign in with a management token.
    package var proxyAddress: String?
    /// The header in which the proxy names the user. Default: `X-Forwarded-User`.
    package var userHeader = "X-Forwarded-User"
    /// The scopes of the proxy's users, as of a token; see ``ManagementScope``. Default: `read`.
    package var proxyScopes = [ManagementScope.read.rawValue]

    package init() {}
}
