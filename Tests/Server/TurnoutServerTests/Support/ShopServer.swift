import Foundation
import ServerTestSupport
import TestSupport
import TurnoutServer

/// A server with the datafile of the sample shop, whose requests come from the test instead of a socket.
struct ShopServer {
    static let key = "ShopDemoSdkKey"

    let server: Server
    let listener = TestListener()
    let events = RecordedEvents()
    let log = LogLines()
    let clock = ManualClock()
    let wallClock = FixedWallClock(1_000_000)

    init(
        tokens: [ManagementTokens.Token] = [], storage: ServerStorage = .temporary(),
        _ change: (inout ServerConfiguration) -> Void = { _ in },
        upstream: (@Sendable (String) -> any DatafileSource)? = nil, profiles: [String: any ProfileStore] = [:],
        flagsFile: (any FlagsFile)? = nil
    ) throws {
        var configuration = ServerConfiguration()
        configuration.log.format = .json
        change(&configuration)
        var adapters = ServerAdapters(
            listener: listener, cryptography: NettleCryptography(), storage: storage,
            log: StructuredLog(configuration.log, wallClock: wallClock, output: log.add))
        adapters.events = events
        adapters.clock = clock
        adapters.wallClock = wallClock
        adapters.random = SeededRandomSource(seed: 7)
        adapters.upstream = upstream
        adapters.namedProfiles = profiles
        adapters.flagsFile = flagsFile
        server = Server(configuration, tokens: tokens, adapters: adapters)
        if upstream == nil { try server.datafiles.publish(Self.datafile, for: Self.key) }
    }

    /// The datafile of the sample shop.
    static var datafile: [UInt8] {
        get throws {
            let folder = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
            return Array(try Data(contentsOf: URL(filePath: folder + "/Examples/Shop/datafile.json")))
        }
    }

    /// The response to a request from this machine.
    func response(
        _ method: String, _ path: String, _ headers: HeaderFields = ["X-API-Key": key], body: String = "",
        from address: String = "127.0.0.1"
    ) async -> ServerResponse {
        await response(method, path, headers, bytes: Array(body.utf8), from: address)
    }

    /// The response to a request whose body need not be text.
    func response(
        _ method: String, _ path: String, _ headers: HeaderFields = ["X-API-Key": key], bytes: [UInt8],
        from address: String = "127.0.0.1"
    ) async -> ServerResponse {
        var headers = headers
        if headers["Host"] == nil { headers["Host"] = "localhost:8080" }
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = QueryParameters(parsing: parts.count > 1 ? parts[1] : "")
        let head = RequestHead(method, String(parts[0]), query: query, headers: headers, remoteAddress: address)
        return await server.handler.respond(to: ServerRequest(head, body: bytes)).response
    }
}

/// Takes the place of a socket.
final class TestListener: HTTPListener {
    private let stopped = Locked(false)

    var counts: ListenerCounts { ListenerCounts() }
    var isStopped: Bool { stopped.withLock { $0 } }

    func start(_ handler: any RequestHandler) throws -> UInt16 { 8080 }
    func stop(within limit: Duration) async { stopped.withLock { $0 = true } }
}

/// Keeps the lines of a log.
final class LogLines: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var text: String { all.joined() }

    @Sendable func add(_ line: [UInt8]) { lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
}
