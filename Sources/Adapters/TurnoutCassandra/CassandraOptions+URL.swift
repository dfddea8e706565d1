public import TurnoutClient

extension CassandraOptions {
    private static let parameters = [
        "table", "dc", "consistency", "ttl", "timeout", "connect-timeout", "lookups", "tls", "ca", "cert", "key",
        "library",
    ]

    /// Reads options from a URL such as
    /// `cassandra://user:password@host1,host2:9042/keyspace?table=assignments&dc=eu&ttl=90d`.
    ///
    /// Required are a node and the keyspace. Nodes are separated by commas, each a name, an IPv4 address or
    /// `[IPv6]`. All have the same port, which may follow one or all of them.
    ///
    /// Optional parameters follow a question mark, joined by `&`: `table`, `dc`, `consistency` (such as
    /// `LOCAL_QUORUM`, in any case), `ttl`, `timeout`, `connect-timeout`, `lookups`, `tls` (`address`, `name` or
    /// `authority`; see ``TLS/Verification``), with it the files `ca`, `cert` and `key`, and `library`. Times are
    /// whole numbers with a unit: `ms`, `s`, `m`, `h` or `d`; without one they are seconds. Delimiters within
    /// values are percent-encoded, such as `%2C`.
    ///
    /// - Throws: `ProfileServerError` that names the invalid part. It does not quote the URL, which may contain a
    ///   password by mistake.
    public init(url: String) throws(ProfileServerError) {
        do throws(AddressError) {
            try self.init(ServerAddress(url, schemes: ["cassandra"]))
        } catch {
            throw ProfileServerError(.badOptions, error.message)
        }
        self = try checked()
    }

    private init(_ address: ServerAddress) throws(AddressError) {
        var hosts: [String] = []
        var port: Int?
        var path = ""
        for (number, place) in address.places.enumerated() {
            guard let host = place.host else { throw AddressError("host \(number + 1) has no name") }
            hosts.append(host)
            if let other = place.port {
                guard port == nil || port == other else { throw AddressError("all nodes need the same port") }
                port = other
            }
            guard place.path.isEmpty || number == address.places.count - 1 else {
                throw AddressError("the keyspace belongs after the last host")
            }
            path = place.path
        }
        guard path.utf8.count > 1 else {
            throw AddressError("the address has no keyspace: cassandra://host/keyspace")
        }
        self.init(hosts: hosts, keyspace: String(path.dropFirst()))
        if let port { self.port = port }
        username = address.user
        password = address.password
        // First, as other parameters need it.
        for parameter in address.parameters where parameter.name == "tls" {
            tls = TLS()
            tls?.verification = try parameter.choice(among: TLS.Verification.allCases) { $0.rawValue }
        }
        for parameter in address.parameters { try set(parameter) }
    }

    private mutating func set(_ parameter: AddressParameter) throws(AddressError) {
        switch parameter.name {
        case "table": table = try parameter.text()
        case "dc": dataCenter = try parameter.text()
        case "consistency": consistency = try parameter.choice(among: Consistency.allCases) { $0.rawValue }
        case "ttl": timeToLive = try parameter.duration()
        case "timeout": timeout = try parameter.duration()
        case "connect-timeout": connectTimeout = try parameter.duration()
        case "lookups": concurrentLookups = try parameter.number(in: 1...2_048)
        case "tls": break
        case "ca", "cert", "key":
            guard tls != nil else { throw AddressError("\(parameter.name) needs tls=address, name or authority") }
            let text = try parameter.text()
            switch parameter.name {
            case "ca": tls?.authorities = text
            case "cert": tls?.certificate = text
            default: tls?.key = text
            }
        case "library": library = try parameter.text()
        default: throw AddressParameter.unknown(expected: Self.parameters)
        }
    }
}

extension AddressParameter {
    /// The value as one of some words, in any case.
    fileprivate func choice<Choice>(
        among choices: [Choice], _ word: (Choice) -> String
    ) throws(AddressError) -> Choice {
        let text = try text().uppercased()
        for choice in choices where word(choice).uppercased() == text { return choice }
        throw AddressError("\(name) is one of \(choices.map(word).joined(separator: ", "))")
    }
}
