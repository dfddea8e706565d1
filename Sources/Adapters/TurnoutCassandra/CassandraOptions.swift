public import TurnoutClient

/// The nodes that store assignments, the table, the consistency and the time limits.
///
/// ```swift
/// var options = try CassandraOptions(url: "cassandra://turnout:secret@10.0.0.7,10.0.0.8/shop?dc=eu")
/// options.timeToLive = .seconds(90 * 86_400)
/// let store = try CassandraProfileStore(options)
/// ```
///
/// Descriptions of options, such as by `print` or `dump`, omit the password and the user name.
public struct CassandraOptions: Sendable, Equatable {
    /// How many replicas have to respond to a lookup or a write before it succeeds.
    public enum Consistency: String, Sendable, Equatable, CaseIterable {
        /// A majority of the replicas in the local data center. Programs there read their own writes and those of
        /// each other.
        case localQuorum = "LOCAL_QUORUM"
        /// A majority of the replicas in all data centers.
        case quorum = "QUORUM"
        /// One replica in the local data center. A lookup may miss recent assignments.
        case localOne = "LOCAL_ONE"
        /// One replica. A lookup may miss recent assignments.
        case one = "ONE"
        /// Two replicas.
        case two = "TWO"
        /// Three replicas.
        case three = "THREE"
        /// All replicas. Without one of them, lookups and writes fail.
        case all = "ALL"
    }

    /// How connections are encrypted, with TLS. All files are in the PEM format. They are read once, when the store
    /// is created.
    public struct TLS: Sendable, Equatable {
        /// The identity that the certificate of a node must show.
        public enum Verification: String, Sendable, Equatable, CaseIterable {
            /// A trusted authority has signed it, and it is for the node's IP address.
            case address
            /// A trusted authority has signed it, and it is for the node's name, which the driver looks up by the
            /// address.
            case name
            /// A trusted authority has signed it, for any node. Use an authority that signs for this cluster only.
            case authority
        }

        /// The identity that is verified. Default: the node's IP address.
        public var verification = Verification.address
        /// A file with the certificates of trusted authorities; nil for the system's. Default: nil.
        public var authorities: String?
        /// A file with a client certificate for nodes that require one, and its intermediate certificates.
        /// Default: nil.
        public var certificate: String?
        /// The file with the key of ``certificate``, without a passphrase. Default: nil.
        public var key: String?

        /// Creates options with the system's authorities and no client certificate.
        public init() {}
    }

    /// Some nodes of the cluster: names or IP addresses. They report the others.
    public var hosts: [String]
    /// The port of all nodes. Default: 9042.
    public var port = 9_042
    /// The keyspace of the table, case-sensitive.
    public var keyspace: String
    /// The table, case-sensitive; see ``CassandraProfileStore/schema(for:)``. Default: `turnout_assignments`.
    public var table = "turnout_assignments"
    /// The data center whose nodes are used. Default: nil, that of the first node that responds.
    public var dataCenter: String?
    /// How many replicas have to respond. Default: a majority in the local data center.
    public var consistency = Consistency.localQuorum
    /// How long an assignment is kept, in whole seconds, at most 20 years. Each new assignment has its own time.
    /// Default: nil, as long as the table's `default_time_to_live` says.
    public var timeToLive: Duration?
    /// The time limit for a whole call, however many users it involves. Default: 1 second.
    public var timeout: Duration = .seconds(1)
    /// The time limit for connecting to a node. Calls do not wait longer than ``timeout`` for it. Default: 2
    /// seconds.
    public var connectTimeout: Duration = .seconds(2)
    /// The number of users that one call looks up at the same time. Default: 256.
    public var concurrentLookups = 256
    /// The user name, if the cluster requires one. It needs `SELECT` and `MODIFY` on the table. Default: nil.
    public var username: String?
    /// The password of ``username``. Default: nil.
    public var password: String?
    /// The encryption of connections; nil for none. Default: nil.
    public var tls: TLS?
    /// The path of the driver, `libcassandra.so.2`. Default: nil, the path in the environment variable
    /// `TURNOUT_CASSANDRA_LIBRARY`, and without one the system's library.
    public var library: String?

    /// The standard options; change what you need.
    ///
    /// - Parameters:
    ///   - hosts: Some nodes of the cluster.
    ///   - keyspace: The keyspace of the table.
    public init(hosts: [String], keyspace: String) {
        self.hosts = hosts
        self.keyspace = keyspace
    }

    /// The longest time to live that Cassandra accepts.
    private static let longestLife = Duration.seconds(20 * 365 * 86_400)

    /// The time to live in whole seconds.
    var secondsToLive: Int32? {
        timeToLive.map { Int32(max(1, (min($0, Self.longestLife) / .seconds(1)).rounded(.up))) }
    }

    /// The options with every duration and number limited to its valid range.
    ///
    /// - Throws: `ProfileServerError` if they contradict each other.
    func checked() throws(ProfileServerError) -> CassandraOptions {
        guard !hosts.isEmpty else { throw ProfileServerError(.badOptions, "no node is named") }
        for host in hosts {
            do throws(AddressError) {
                try ServerAddress.Place(host: host, port: port).check()
            } catch { throw ProfileServerError(.badOptions, error.message) }
            // The driver takes one text with commas.
            guard !host.contains(","), !host.contains(" ") else {
                throw ProfileServerError(.badOptions, "the name of a node contains a comma or a space")
            }
        }
        try Self.check(keyspace, "the keyspace")
        try Self.check(table, "the table")
        guard (username == nil) == (password == nil) else {
            throw ProfileServerError(.badOptions, "a user name needs a password, and a password a user name")
        }
        guard (tls?.certificate == nil) == (tls?.key == nil) else {
            throw ProfileServerError(.badOptions, "TLS: a certificate needs its key, and a key its certificate")
        }
        var options = self
        options.concurrentLookups = max(1, min(2_048, concurrentLookups))
        for limit in [\Self.timeout, \.connectTimeout] {
            options[keyPath: limit] = min(max(.milliseconds(1), self[keyPath: limit]), .seconds(86_400))
        }
        return options
    }

    /// Names of keyspaces and tables are letters, digits and underscores, at most 48.
    private static func check(_ name: String, _ what: String) throws(ProfileServerError) {
        let isValid = name.utf8.allSatisfy { byte in
            let letter = byte | 0x20
            return UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter && byte >= UInt8(ascii: "A")
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
        }
        guard isValid, 1...48 ~= name.utf8.count else {
            throw ProfileServerError(
                .badOptions, "the name of \(what) is not 1 to 48 letters, digits and underscores")
        }
    }
}

extension CassandraOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The nodes, the table and the consistency, without user name and password.
    public var description: String {
        let names = hosts.map { ServerAddress.Place(host: $0, port: port).description }
        let encryption = tls == nil ? "" : " with TLS"
        return "Cassandra at \(names.joined(separator: ", "))\(encryption), table \(keyspace).\(table), "
            + consistency.rawValue
    }

    /// The description.
    public var debugDescription: String { description }

    /// A mirror with only the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

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

/// A file with certificates or a key, in the PEM format.
struct TLSFile {
    let path: String
    let text: String

    /// Reads a file.
    ///
    /// - Throws: `ProfileServerError` with the system's reason.
    init(_ path: String) throws(ProfileServerError) {
        self.path = path
        do throws(FileError) {
            text = String(decoding: try FileContents.read(path), as: UTF8.self)
        } catch {
            throw ProfileServerError(.badOptions, "TLS: \(path) cannot be read: \(error)")
        }
    }

    /// Where systems have the certificates of trusted authorities: Debian, Red Hat, Alpine and macOS.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// The trusted authorities. The driver knows none by itself.
    ///
    /// - Throws: `ProfileServerError` if the system has none where they are expected.
    static func authorities(_ options: CassandraOptions.TLS) throws(ProfileServerError) -> TLSFile {
        if let path = options.authorities { return try TLSFile(path) }
        for path in systemFiles {
            if let file = try? TLSFile(path) { return file }
        }
        throw ProfileServerError(
            .badOptions, "TLS: the system has no file of trusted authorities; name one (ca=, authorities)")
    }
}
