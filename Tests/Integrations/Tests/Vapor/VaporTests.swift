import Testing
import TurnoutClient
import TurnoutTestKit
import Vapor

/// Puts the user of each request into its storage.
struct FlagsMiddleware: AsyncMiddleware {
    let client: FlagClient

    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        if let id = request.headers.first(name: "X-User-ID") { request.flags = client.user(id) }
        return try await next.respond(to: request)
    }
}

extension Request {
    private struct FlagsKey: StorageKey {
        typealias Value = UserContext
    }

    /// The user of the request, or nil without an id.
    var flags: UserContext? {
        get { storage[FlagsKey.self] }
        set { storage[FlagsKey.self] = newValue }
    }
}

/// Starts the client with the application, and closes it at the shutdown.
struct FlagsLifecycle: LifecycleHandler {
    let client: FlagClient

    func didBootAsync(_ application: Application) async throws { try await client.start() }
    func shutdownAsync(_ application: Application) async { await client.close() }
}

func configure(_ app: Application, client: FlagClient) {
    app.middleware.use(FlagsMiddleware(client: client))
    app.lifecycle.use(FlagsLifecycle(client: client))
}

@Suite struct UsingVapor {
    private struct Endpoint: AsyncResponder {
        let expected: String?

        func respond(to request: Request) async throws -> Response {
            #expect(request.flags?.id == expected)
            #expect(request.flags?.decide("checkout_redesign").isEnabled == (expected == nil ? nil : true))
            return Response()
        }
    }

    @Test func aRequestKnowsItsUser() async throws {
        let client = FlagClient.scripted(.always("checkout_redesign", "one_page"))
        let app = try await Application.make(.testing)
        let middleware = FlagsMiddleware(client: client)
        let loop = app.eventLoopGroup.any()
        let known = Request(application: app, headers: ["X-User-ID": "ada"], on: loop)
        _ = try await middleware.respond(to: known, chainingTo: Endpoint(expected: "ada"))
        let unknown = Request(application: app, on: loop)
        _ = try await middleware.respond(to: unknown, chainingTo: Endpoint(expected: nil))
        try await app.asyncShutdown()
    }

    @Test func theClientIsClosedWithTheApplication() async throws {
        var configuration = ClientConfiguration()
        let network = MemoryTransport()
        configuration.transport = network
        let client = try FlagClient(datafile: Script(.event("purchase")).datafile, configuration)
        let app = try await Application.make(.testing)
        configure(app, client: client)
        try client.user("ada").track("purchase")
        try await app.asyncShutdown()
        #expect(network.requests.count == 1)
    }
}
