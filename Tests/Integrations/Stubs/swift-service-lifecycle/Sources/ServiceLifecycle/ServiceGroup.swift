// The part of swift-service-lifecycle's interface that the integrations use: groups. Signals are not handled.

public import Logging

public struct UnixSignal: Sendable, Hashable {
    public static let sigterm = UnixSignal()
    public static let sigint = UnixSignal()
}

/// Runs services until one ends. A graceful shutdown ends them in reverse order, each after the one before.
public actor ServiceGroup: Service {
    private let services: [any Service]
    private let states: [ShutdownState]
    private let (shutdown, trigger) = AsyncStream<Void>.makeStream()

    public init(
        services: [any Service], gracefulShutdownSignals: [UnixSignal] = [], cancellationSignals: [UnixSignal] = [],
        logger: Logger
    ) {
        self.services = services
        states = services.map { _ in ShutdownState() }
    }

    public func triggerGracefulShutdown() { trigger.finish() }

    public func run() async throws {
        try await withThrowingTaskGroup(of: Int?.self) { [services, states, shutdown] group in
            for (index, service) in services.enumerated() {
                group.addTask {
                    try await ShutdownState.$current.withValue(states[index]) { try await service.run() }
                    return index
                }
            }
            group.addTask {
                for await _ in shutdown {}
                return nil
            }
            defer { group.cancelAll() }
            var running = services.count
            while running > 0, let ended = try await group.next() {
                if ended != nil { running -= 1 }
                if running > 0 { states[running - 1].begin() }
            }
        }
    }
}
