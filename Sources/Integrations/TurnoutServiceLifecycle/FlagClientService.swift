#if ServiceLifecycle
    public import ServiceLifecycle
    public import TurnoutClient

    /// A client as a service of swift-service-lifecycle: starts with its group, and delivers its events when the group
    /// shuts down.
    ///
    /// ```swift
    /// let group = ServiceGroup(
    ///     services: [FlagClientService(client), server], gracefulShutdownSignals: [.sigterm], logger: logger)
    /// try await group.run()
    /// ```
    ///
    /// A group shuts down in reverse order, so name the client before the services that decide with it: their last
    /// events are then delivered, too. A group starts all its services at once. To serve requests only with a datafile,
    /// call `try await client.start()` before `run()`.
    public struct FlagClientService: Service {
        /// The client.
        public let client: FlagClient
        private let limit: Duration

        /// Creates a service.
        ///
        /// - Parameters:
        ///   - client: The client to run.
        ///   - limit: The time to close the client within, see `FlagClient.close(within:)`. Choose less than the
        ///     group's `maximumGracefulShutdownDuration`. Default: 10 seconds.
        public init(_ client: FlagClient, closingWithin limit: Duration = .seconds(10)) {
            self.client = client
            self.limit = limit
        }

        /// Runs the client until the group's graceful shutdown or the task's cancellation, and closes it.
        ///
        /// - Throws: `StartError` if there is no datafile and no further request would change that, see
        ///   `FlagClient.run(closingWithin:)`. This ends the group.
        public func run() async throws {
            try await cancelWhenGracefulShutdown { [client, limit] in try await client.run(closingWithin: limit) }
        }
    }
#endif
