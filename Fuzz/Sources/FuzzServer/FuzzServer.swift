import Foundation
import FuzzDriver
import TurnoutClient
import TurnoutServer

/// Sends bodies to the routes of a server, and checks that each is answered, and that no body is a failure of the
/// server. The first byte of an input chooses the route, and the others are the body.
@main struct FuzzServer {
    private static let routes = [
        ("POST", "/v1/decide", "application/json"), ("POST", "/v1/track?eventKey=buy", "application/json"),
        ("POST", "/v1/override", "application/json"), ("POST", "/v1/save", "application/json"),
        ("POST", "/v1/batch", "application/json"), ("POST", "/v1/events", "application/json"),
        ("POST", "/ofrep/v1/evaluate/flags", "application/json"), ("POST", "/v3/graphql", "application/json"),
        ("POST", "/v3/events", "application/json"), ("POST", "/predict/1", "application/json"),
        ("POST", "/users/forget", "application/json"), ("PUT", "/segments/vip/users", "text/csv"),
        ("PUT", "/segments/vip/users", "application/x-ndjson"),
        ("POST", "/oauth/token", "application/x-www-form-urlencoded"),
    ]

    private static let datafile = Array(
        """
        {"version": "4", "accountId": "1", "projectId": "2", "revision": "3", "sdkKey": "key", "anonymizeIP": true,
         "botFiltering": false, "typedAudiences": [], "variables": [], "attributes": [],
         "audiences": [], "experiments": [], "groups": [], "rollouts": [], "events": [{"id": "4", "key": "buy",
         "experimentIds": []}], "featureFlags": [{"id": "5", "key": "flag", "rolloutId": "", "experimentIds": [],
         "variables": [{"id": "6", "key": "text", "type": "string", "defaultValue": "a"}]}],
         "integrations": [{"key": "odp", "host": "http://localhost", "publicKey": "public"}]}
        """.utf8)

    private static let folder = FileManager.default.temporaryDirectory.appending(path: "turnout-fuzz-\(getpid())").path
    private static let storage = ServerStorage(directory: folder, isTemporary: true, messages: .silent)

    private static let server: Server = {
        var configuration = ServerConfiguration()
        configuration.access.allowsLocalManagement = true
        configuration.access.allowsProfileRoutes = true
        configuration.agent.allowsOverrides = true
        let adapters = ServerAdapters(
            listener: NoListener(), cryptography: NoCryptography(), storage: storage,
            log: StructuredLog(configuration.log) { _ in })
        let server = Server(configuration, adapters: adapters)
        do { try server.datafiles.publish(datafile, for: "key") } catch { fatalError("\(error)") }
        return server
    }()

    static func main() {
        atexit { try? FileManager.default.removeItem(atPath: FuzzServer.folder) }
        fuzz { start, count in
            let input = FuzzDriver.bytes(start, count)
            guard let first = input.first else { return 0 }
            let route = FuzzServer.routes[Int(first) % FuzzServer.routes.count]
            let status = FuzzServer.status(route, Array(input.dropFirst()))
            precondition((200..<500).contains(status) || status == 501, "\(route.1) answers \(status)")
            return 0
        }
    }

    private static func status(_ route: (method: String, path: String, type: String), _ body: [UInt8]) -> Int {
        let parts = route.path.split(separator: "?")
        let head = RequestHead(
            route.method, String(parts[0]), query: QueryParameters(parsing: parts.count > 1 ? String(parts[1]) : ""),
            headers: [
                "Host": "localhost:8080", "Content-Type": route.type, "X-Optimizely-SDK-Key": "key",
                "X-API-Key": route.path.hasPrefix("/v3") ? "public" : "key",
            ], remoteAddress: "127.0.0.1")
        let answer = server.handler.respond(to: ServerRequest(head, body: body))
        let result = OneShot<Int>()
        Task { result.end(await answer.response.status) }
        guard let status = result.value(within: .seconds(5)) else { fatalError("\(route.path) does not answer") }
        process()
        return status
    }

    /// Processes what was received, which must not stop at any body.
    private static func process() {
        let processing = EventProcessing(storage.log, into: storage.events, messages: .silent)
        do { try processing.processAll() } catch { fatalError("\(error)") }
    }
}

/// Accepts no connections.
private struct NoListener: HTTPListener {
    var counts: ListenerCounts { ListenerCounts() }
    func start(_ handler: any RequestHandler) throws -> UInt16 { 8080 }
    func stop(within limit: Duration) async {}
}

/// Verifies nothing.
private struct NoCryptography: Cryptography {
    func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] { [] }
    func hmacSHA1(_ message: [UInt8], key: [UInt8]) -> [UInt8] { [] }
    func sha256(_ message: [UInt8]) -> [UInt8] { [] }
    func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool { false }
    func verifyBcrypt(_ password: [UInt8], hash: String) -> Bool { false }
}
