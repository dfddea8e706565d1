// The part of Hummingbird's interface that the recipe uses. Routes and middleware can be called; there is no server.

@_exported public import HTTPTypes
public import Logging
public import ServiceLifecycle

public struct ByteBuffer: Sendable { public init() {} }

public struct RequestBody: Sendable { public init(buffer: ByteBuffer) {} }

public struct Request: Sendable {
    public let head: HTTPRequest
    public var headers: HTTPFields { head.headerFields }

    public init(head: HTTPRequest, body: RequestBody) { self.head = head }
}

public struct Response: Sendable {
    public var status: HTTPResponse.Status

    public init(status: HTTPResponse.Status) { self.status = status }
}

public protocol RequestContextSource {
    var logger: Logger { get }
}

public struct ApplicationRequestContextSource: RequestContextSource { public let logger: Logger }

public struct CoreRequestContextStorage: Sendable {
    var logger: Logger

    public init(source: some RequestContextSource) { logger = source.logger }
}

public protocol RequestContext: Sendable {
    associatedtype Source: RequestContextSource = ApplicationRequestContextSource
    var coreContext: CoreRequestContextStorage { get set }
    init(source: Source)
}

public protocol MiddlewareProtocol<Input, Output, Context>: Sendable {
    associatedtype Input
    associatedtype Output
    associatedtype Context
    func handle(_ input: Input, context: Context, next: (Input, Context) async throws -> Output) async throws -> Output
}

public protocol RouterMiddleware<Context>: MiddlewareProtocol where Input == Request, Output == Response {}

public protocol ResponseGenerator {}

extension String: ResponseGenerator {}

public final class Router<Context: RequestContext> {
    public init(context: Context.Type) {}

    @discardableResult public func add(middleware: any MiddlewareProtocol<Request, Response, Context>) -> Self { self }

    @discardableResult
    public func get(
        _ path: String = "",
        use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
    ) -> Self {
        self
    }
}

public protocol ApplicationProtocol: Service {}

public struct Application<Context: RequestContext>: ApplicationProtocol {
    private var services: [any Service]

    public init(router: Router<Context>, services: [any Service] = [], logger: Logger? = nil) {
        self.services = services
    }

    public mutating func addServices(_ services: any Service...) { self.services += services }

    public func run() async throws {}
}
