import HTTPTypes
import Hummingbird
import Logging
import Testing
import TurnoutClient
import TurnoutServiceLifecycle
import TurnoutTestKit

/// A context with the user of the request.
protocol FlagsRequestContext: RequestContext {
    /// Nil without an id.
    var flags: UserContext? { get set }
}

struct ShopRequestContext: FlagsRequestContext {
    var coreContext: CoreRequestContextStorage
    var flags: UserContext?

    init(source: Source) { coreContext = .init(source: source) }
}

/// Puts the user of each request into its context.
struct FlagsMiddleware<Context: FlagsRequestContext>: RouterMiddleware {
    let client: FlagClient

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let name = HTTPField.Name("X-User-ID"), let id = request.headers[name] { context.flags = client.user(id) }
        return try await next(request, context)
    }
}

func makeApplication(client: FlagClient) -> some ApplicationProtocol {
    let router = Router(context: ShopRequestContext.self)
    router.add(middleware: FlagsMiddleware(client: client))
    router.get("checkout") { _, context in
        context.flags?.decide("checkout_redesign").isEnabled == true ? "one page" : "several pages"
    }
    var app = Application(router: router)
    app.addServices(FlagClientService(client))
    return app
}

@Suite struct UsingHummingbird {
    /// A context that needs no server.
    private struct TestContext: FlagsRequestContext {
        struct Source: RequestContextSource { let logger = Logger(label: "test") }

        var coreContext: CoreRequestContextStorage
        var flags: UserContext?

        init(source: Source) { coreContext = .init(source: source) }
    }

    @Test(arguments: [[:], [HTTPField.Name("X-User-ID"): "ada"]])
    func aRequestKnowsItsUser(fields: [HTTPField.Name?: String]) async throws {
        let client = FlagClient.scripted(.always("checkout_redesign", "one_page"))
        var headers = HTTPFields()
        for case (let name?, let value) in fields { headers[name] = value }
        let head = HTTPTypes.HTTPRequest(
            method: .get, scheme: "http", authority: "localhost", path: "/", headerFields: headers)
        let middleware = FlagsMiddleware<TestContext>(client: client)
        let response = try await middleware.handle(
            Request(head: head, body: RequestBody(buffer: ByteBuffer())), context: TestContext(source: .init())
        ) { _, context in
            #expect(context.flags?.id == fields.values.first)
            return Response(status: .ok)
        }
        #expect(response.status == .ok)
    }

    @Test func theRecipeIsAnApplication() {
        _ = makeApplication(client: FlagClient.scripted(.always("checkout_redesign", "one_page")))
    }
}
