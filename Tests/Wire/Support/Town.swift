import Foundation
import LoopbackServer
import Optimizely
import TestSupport
import TurnoutClient

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

#if SQLite
    import TurnoutSQLite
#endif

/// An internet and a disk that one test has for itself. All hosts are folders of the test server.
///
/// A client talks to `https://logx.optimizely.com/v1/events` over its own code and a real socket; what arrives is a
/// request for `/name-of-the-town/logx.optimizely.com/v1/events`.
struct Town: Sendable {
    /// The server of all towns; the test target needs no other.
    private static let shared = Result { try LoopbackServer() }

    private let server: LoopbackServer
    private let name = unique("town")
    /// Where answers wait until a test lets them pass; at first they all do.
    let gate = Gate(isOpen: true)
    /// The disk.
    let directory = TemporaryDirectory()
    private let storage: any Storage

    init() throws { self.init(on: try Self.shared.get()) }

    /// A town on a server of its own, whose numbers are not mixed with others'.
    init(on server: LoopbackServer) {
        self.server = server
        #if SQLite
            storage = LateStorage { [directory] in SQLiteStorage.open(directory: directory.path, log: directory.log) }
        #else
            storage = MemoryStorage()
        #endif
    }

    /// The way to all hosts.
    ///
    /// Each town has a host name, and with it connections, of its own; all of `.localhost` is this machine.
    var transport: any Transport { EveryHost(root: "http://\(name).localhost:\(server.port)/\(name)/", gate: gate) }

    /// The network and the disk of a client of the older interface.
    var world: World {
        var world = World()
        world.transport = transport
        world.storage = storage
        return world
    }

    /// Where the requests for an address arrive.
    func path(_ address: String) -> String { "/\(name)/" + address.dropFirst("https://".count) }

    // MARK: Answers

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

    /// Waits until there were so many requests.
    @discardableResult
    func requests(_ address: String, atLeast count: Int) async throws -> [ReceivedRequest] {
        try await wait("\(count) requests for \(address)") { try requests(address).count >= count }
        return try requests(address)
    }
}

/// Sends the requests for any host to one server.
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
        // What goes elsewhere than to a safe address is a defect of its own.
        guard request.url.hasPrefix("https://") else { throw TransportError(.badAddress, "not https") }
        var request = request
        request.url = root + request.url.dropFirst("https://".count)
        let response = try await network.send(request)
        await gate.pass()
        return response
    }
}

/// Where clients send their requests.
enum Address {
    static let us = "https://logx.optimizely.com/v1/events"
    static let eu = "https://eu.logx.optimizely.com/v1/events"
    static let segments = "https://odp.test/v3/graphql"
    static let segmentEvents = "https://odp.test/v3/events"
    static func datafile(_ key: String) -> String { "https://cdn.optimizely.com/datafiles/\(key).json" }
    static func safeDatafile(_ key: String) -> String { "https://config.optimizely.com/datafiles/auth/\(key).json" }
    static func prediction(_ rule: String) -> String { "https://prediction.cmab.optimizely.com/predict/\(rule)" }
}

/// A name that nothing else has.
func unique(_ prefix: String) -> String { "\(prefix)-\(UUID().uuidString.lowercased().prefix(13))" }
