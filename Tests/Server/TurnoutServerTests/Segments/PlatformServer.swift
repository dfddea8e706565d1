import ServerTestSupport
import TestSupport
import TurnoutFlags
import TurnoutServer

/// A server that is the data platform of a small shop, whose requests come from the test instead of a socket.
struct PlatformServer {
    static let key = "shop-segments"
    static let projectID = "12001"

    let server: Server
    let storage: ServerStorage
    let log = LogLines()

    init(
        tokens: [ManagementTokens.Token] = [], defined: [AuthoredSegment] = [],
        profiles: any ProfileStore = MemoryProfileStore(), _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerConfiguration()
        configuration.access.allowsLocalManagement = true
        change(&configuration)
        storage = .temporary(configuration)
        let wallClock = FixedWallClock(EventBodies.time)
        var adapters = ServerAdapters(
            listener: TestListener(), cryptography: NettleCryptography(), storage: storage,
            log: StructuredLog(configuration.log, wallClock: wallClock, output: log.add))
        adapters.wallClock = wallClock
        adapters.profiles = profiles
        server = Server(configuration, tokens: tokens, adapters: adapters)
        try server.datafiles.publish(Self.datafile, for: "shop")
        server.datafiles.define(defined.map { DefinedSegment($0, of: Self.projectID) }, by: "test")
    }

    private static let datafile = Array(
        """
        {"version":"4","projectId":"\(projectID)","accountId":"1","revision":"1","anonymizeIP":true,
         "experiments":[],"events":[],
         "featureFlags":[],"rollouts":[],"attributes":[],"audiences":[],"groups":[],
         "integrations":[{"key":"odp","host":"http://localhost:8080","publicKey":"\(key)"}]}
        """.utf8)

    /// Processes everything that was received.
    func process() throws {
        try EventProcessing(storage.log, into: storage.events, wallClock: .fixed(EventBodies.time), messages: .silent)
            .processAll()
    }

    func response(
        _ method: String, _ path: String, _ headers: HeaderFields = [:], body: String = ""
    ) async -> ServerResponse {
        var headers = headers
        headers["Host"] = "localhost:8080"
        let parts = path.split(separator: "?", maxSplits: 1)
        let query = QueryParameters(parsing: parts.count > 1 ? parts[1] : "")
        let head = RequestHead(method, String(parts[0]), query: query, headers: headers)
        return await server.handler.respond(to: ServerRequest(head, body: Array(body.utf8))).response
    }

    /// The response to a query, as SDKs send it.
    func query(_ id: String, _ identifier: String = "fs_user_id", _ subset: [String]? = nil) async throws -> JSONValue {
        let text =
            "query($userId: String, $audiences: [String]) {customer(\(identifier): $userId) "
            + "{audiences(subset: $audiences) {edges {node {name state}}}}}"
        let variables: [String: JSONValue] = [
            "userId": .string(id), "audiences": subset.map { .array($0.map(JSONValue.string)) } ?? .null,
        ]
        let body = JSONValue.object(["query": .string(text), "variables": .object(variables)]).json
        return try await response("POST", "/v3/graphql", ["x-api-key": Self.key], body: body).json
    }

    /// The segments that a response has; nil without a customer.
    static func qualified(_ response: JSONValue) -> [String]? {
        guard case .array(let edges)? = response["data"]?["customer"]?["audiences"]?["edges"] else { return nil }
        return edges.compactMap { edge in
            guard edge["node"]?["state"] == .string("qualified"), case .string(let name)? = edge["node"]?["name"]
            else { return nil }
            return name
        }
    }

    func segments(of id: String, _ subset: [String]? = nil) async throws -> [String]? {
        try await Self.qualified(query(id, "fs_user_id", subset))
    }

    /// The status of a request with events of the data platform.
    func send(_ events: String) async -> ServerResponse {
        await response("POST", "/v3/events", ["x-api-key": Self.key], body: events)
    }
}
