import CQLServer

/// The arguments of the command.
///
///     cql-server [--data-centers dc1,dc1,dc1] [--user NAME --password PASSWORD]
struct StartOptions {
    /// An argument or a line that the command does not know.
    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var configuration = CQLServer.Configuration()

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        var (user, password): (String?, String?)
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Unknown(description: "\(option) has no value") }
            switch option {
            case "--data-centers":
                configuration.nodes = value.split(separator: ",").map { CQLServer.Node(dataCenter: String($0)) }
            case "--user": user = value
            case "--password": password = value
            default: throw Unknown(description: "the option \(option) is unknown")
            }
        }
        if let user, let password {
            configuration.credentials = CQLServer.Credentials(user: user, password: password)
        }
    }
}
