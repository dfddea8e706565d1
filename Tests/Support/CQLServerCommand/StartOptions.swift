import CQLServer

/// The arguments of the command.
///
///     cql-server [--data-centers dc1,dc1,dc1] [--user NAME --password PASSWORD]
///                [--certificate FILE --key FILE [--client-authorities FILE]]
struct StartOptions {
    /// An argument or a line that the command does not know.
    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    private static let names = [
        "--data-centers", "--user", "--password", "--certificate", "--key", "--client-authorities",
    ]

    private(set) var configuration = CQLServer.Configuration()

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        var values: [String: String] = [:]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Unknown(description: "\(option) has no value") }
            guard Self.names.contains(option) else { throw Unknown(description: "the option \(option) is unknown") }
            values[option] = value
        }
        if let names = values["--data-centers"] {
            configuration.nodes = names.split(separator: ",").map { CQLServer.Node(dataCenter: String($0)) }
        }
        if let user = values["--user"], let password = values["--password"] {
            configuration.credentials = CQLServer.Credentials(user: user, password: password)
        }
        if let certificate = values["--certificate"], let key = values["--key"] {
            configuration.encryption = CQLServer.TLSFiles(
                certificate: certificate, key: key, clientAuthorities: values["--client-authorities"])
        }
    }
}
