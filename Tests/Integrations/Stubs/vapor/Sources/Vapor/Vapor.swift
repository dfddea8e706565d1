// The part of Vapor's interface that the recipe uses. Middleware can be called; there is no server.

@_exported public import Logging
import Synchronization

public struct Environment: Sendable, Equatable {
    public static var testing: Environment { Environment() }
}

public protocol EventLoop: AnyObject, Sendable {}

public final class EventLoopGroup: EventLoop {
    public func any() -> any EventLoop { self }
}

public protocol LifecycleHandler: Sendable {
    func didBootAsync(_ application: Application) async throws
    func shutdownAsync(_ application: Application) async
}

public final class Application: Sendable {
    public struct Lifecycle: Sendable {
        var handlers: [any LifecycleHandler] = []

        public mutating func use(_ handler: any LifecycleHandler) { handlers.append(handler) }
    }

    public let eventLoopGroup = EventLoopGroup()
    private let state = Mutex((middleware: Middlewares(), lifecycle: Lifecycle()))

    public var middleware: Middlewares {
        get { state.withLock { $0.middleware } }
        set { state.withLock { $0.middleware = newValue } }
    }

    public var lifecycle: Lifecycle {
        get { state.withLock { $0.lifecycle } }
        set { state.withLock { $0.lifecycle = newValue } }
    }

    public static func make(_ environment: Environment) async throws -> Application { Application() }

    /// Ends the program's parts in reverse order.
    public func asyncShutdown() async throws {
        for handler in lifecycle.handlers.reversed() { await handler.shutdownAsync(self) }
    }
}

public struct Middlewares: Sendable {
    public enum Position: Sendable { case beginning, end }

    public mutating func use(_ middleware: any AsyncMiddleware, at position: Position = .end) {}
}

public protocol AsyncMiddleware: Sendable {
    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response
}

public protocol AsyncResponder: Sendable { func respond(to request: Request) async throws -> Response }

public struct HTTPHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private let values: [(String, String)]

    public init(dictionaryLiteral elements: (String, String)...) { values = elements }

    public func first(name: String) -> String? {
        values.first { $0.0.lowercased() == name.lowercased() }?.1
    }
}

public final class Response: Sendable { public init() {} }

public protocol StorageKey { associatedtype Value: Sendable }

public struct Storage: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]

    public subscript<Key: StorageKey>(_ key: Key.Type) -> Key.Value? {
        get { values[ObjectIdentifier(key)] as? Key.Value }
        set { values[ObjectIdentifier(key)] = newValue }
    }
}

public final class Request: Sendable {
    public let headers: HTTPHeaders
    private let values = Mutex(Storage())

    public var storage: Storage {
        get { values.withLock { $0 } }
        set { values.withLock { $0 = newValue } }
    }

    public init(application: Application, headers: HTTPHeaders = [:], on eventLoop: any EventLoop) {
        self.headers = headers
    }
}
