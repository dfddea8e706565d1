import TurnoutSQLite

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

/// A private network and disk for one test. All hosts are folders of the test server.
///
/// A client sends its requests to `https://logx.optimizely.com/v1/events` with its own code and a real socket; the
/// server receives a request for `/name-of-the-network/logx.optimizely.com/v1/events`.
struct TestNetwork: Sendable {
    /// The server of all test networks.
    private static let shared = Result { try LoopbackServer() }

    private let server: LoopbackServer
    private let name = unique("network")
    /// Holds back responses while closed; initially open.
    let gate = Gate(isOpen: true)
    /// The files of the test.
    let directory = TemporaryDirectory()
    private let storage: any ServiceStorage

    init() throws { self.init(on: try Self.shared.get()) }

    /// A network with a separate server, whose statistics are its own.
    init(on server: LoopbackServer) {
        self.server = server
        storage = LazyStorage { [directory] in SQLiteStorage.open(directory: directory.path, log: directory.log) }
    }

    /// A transport to all hosts.
    ///
    /// Each network has its own host name, and so its own connections; all names in `.localhost` resolve to this
    /// machine.
    var transport: any Transport { EveryHost(root: "http://\(name).localhost:\(server.port)/\(name)/", gate: gate) }

    /// The environment of clients of the facade, with this network and disk.
    var environment: HostEnvironment {
        var environment = HostEnvironment()
        environment.transport = transport
        environment.storage = storage
        return environment
    }

    /// The server's path for an address.
    func path(_ address: String) -> String { "/\(name)/" + address.dropFirst("https://".count) }

    // MARK: Responses

    func reply(_ address: String, _ replies: Reply..., times: Int = 1) throws {
        for reply in replies { try server.reply(to: path(address), with: reply, times: times) }
    }

    func always(_ address: String, _ reply: Reply?) throws { try server.always(reply, to: path(address)) }

    func publish(
        _ datafile: Datafile, for key: String, at address: ((String) -> String)? = nil, lastModified: String? = nil,
        etag: String? = nil
    ) throws {
        try server.publish(
            datafile: datafile.bytes, path: path((address ?? Address.datafile)(key)), lastModified: lastModified,
            etag: etag)
    }

    func publish(_ datafile: PageDatafile, for key: String) throws {
        try server.publish(datafile: datafile.bytes, path: path(Address.datafile(key)))
    }

    // MARK: Requests

    func requests(_ address: String) throws -> [ReceivedRequest] { try server.requests(to: path(address)) }

    /// Waits for a number of requests.
    @discardableResult func requests(_ address: String, atLeast count: Int) async throws -> [ReceivedRequest] {
        try await wait("\(count) requests for \(address)") { try requests(address).count >= count }
        return try requests(address)
    }
}

/// Sends the requests for all hosts to one server.
private struct EveryHost: Transport {
    let root: String
    let gate: Gate
    #if Curl && os(Linux)
        private let network = CurlTransport(.init(allowsInsecureHTTP: true))
    #else
        private let network = URLSessionTransport(.init(allowsInsecureHTTP: true))
    #endif

    init(root: String, gate: Gate) { (self.root, self.gate) = (root, gate) }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        // A request without TLS is a defect.
        guard request.url.hasPrefix("https://") else { throw TransportError(.badAddress, "not https") }
        var request = request
        request.url = root + request.url.dropFirst("https://".count)
        let response = try await network.send(request)
        await gate.pass()
        return response
    }
}

/// The addresses of the services.
enum Address {
    static let us = "https://logx.optimizely.com/v1/events"
    static let eu = "https://eu.logx.optimizely.com/v1/events"
    static let segments = "https://odp.test/v3/graphql"
    static let segmentEvents = "https://odp.test/v3/events"
    static func datafile(_ key: String) -> String { "https://cdn.optimizely.com/datafiles/\(key).json" }
    static func safeDatafile(_ key: String) -> String { "https://config.optimizely.com/datafiles/auth/\(key).json" }
    static func prediction(_ rule: String) -> String { "https://prediction.cmab.optimizely.com/predict/\(rule)" }
}

/// A unique name.
func unique(_ prefix: String) -> String { "\(prefix)-\(UUID().uuidString.lowercased().prefix(13))" }
