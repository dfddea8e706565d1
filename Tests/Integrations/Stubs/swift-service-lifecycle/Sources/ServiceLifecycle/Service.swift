// The part of swift-service-lifecycle's interface that the integrations use.

import Synchronization

public protocol Service: Sendable { func run() async throws }

/// The state of one group's shutdown. Handlers are called once.
final class ShutdownState: Sendable {
    private struct State {
        var isShuttingDown = false
        var handlers: [Int: @Sendable () -> Void] = [:]
        var nextID = 0
    }

    @TaskLocal static var current: ShutdownState?

    private let state = Mutex(State())

    var isShuttingDown: Bool { state.withLock { $0.isShuttingDown } }

    /// Calls the handler at the shutdown, or now if that has begun.
    func add(_ handler: @escaping @Sendable () -> Void) -> Int? {
        let id: Int? = state.withLock { state in
            guard !state.isShuttingDown else { return nil }
            state.nextID += 1
            state.handlers[state.nextID] = handler
            return state.nextID
        }
        if id == nil { handler() }
        return id
    }

    func remove(_ id: Int) { state.withLock { $0.handlers[id] = nil } }

    func begin() {
        let handlers = state.withLock { state in
            state.isShuttingDown = true
            defer { state.handlers = [:] }
            return state.handlers
        }
        for handler in handlers.values { handler() }
    }
}

extension Task where Success == Never, Failure == Never {
    public static var isShuttingDownGracefully: Bool { ShutdownState.current?.isShuttingDown ?? false }
}

/// Waits for the group's shutdown.
public func gracefulShutdown() async throws {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let id = ShutdownState.current?.add { continuation.finish() }
    defer { if let id { ShutdownState.current?.remove(id) } }
    for await _ in stream {}
    try Task.checkCancellation()
}

/// Runs an operation, and cancels it when the group shuts down.
public func cancelWhenGracefulShutdown<T: Sendable>(
    _ operation: @Sendable @escaping () async throws -> T
) async rethrows -> T {
    try await withThrowingTaskGroup(of: T?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try? await gracefulShutdown()
            return nil
        }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
            group.cancelAll()
        }
        throw CancellationError()
    }
}
