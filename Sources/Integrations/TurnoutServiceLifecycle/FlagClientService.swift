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
        private let requiresDatafile: Bool

        /// Creates a service.
        ///
        /// - Parameters:
        ///   - client: The client to start and to close.
        ///   - limit: The time to close the client within, see `FlagClient.close(within:)`. Choose less than the
        ///     group's `maximumGracefulShutdownDuration`. Default: 10 seconds.
        ///   - requiresDatafile: Whether ``run()`` throws if the start finds no datafile, which ends the group.
        ///     Default: false; polling continues, and until it finds a datafile, decisions are made without one.
        public init(_ client: FlagClient, closingWithin limit: Duration = .seconds(10), requiresDatafile: Bool = false)
        {
            self.client = client
            self.limit = limit
            self.requiresDatafile = requiresDatafile
        }

        /// Starts the client, waits for the group's graceful shutdown or the task's cancellation, and closes the
        /// client.
        ///
        /// - Throws: `StartError` if the client requires a datafile and found none. The client is closed before.
        public func run() async throws {
            if let failure = await start() {
                guard !requiresDatafile else {
                    await close()
                    throw failure
                }
                let next = client.configuration.pollingInterval == nil ? "refresh() requests one" : "polling continues"
                client.configuration.log.failure(.error, "the service runs without a datafile; \(next)", failure)
            }
            // Throws if the task is cancelled, which ends the service as well.
            try? await gracefulShutdown()
            await close()
        }

        /// Starts the client. Returns why it has no datafile; nil if it has one, or if the service ends.
        private func start() async -> (any Error)? {
            do {
                try await cancelWhenGracefulShutdown { [client] in try await client.start() }
                return nil
            } catch {
                let isEnding = Task.isCancelled || Task.isShuttingDownGracefully
                return client.project == nil && !isEnding ? error : nil
            }
        }

        /// Closes the client in a task of its own: cancelling the group must not cut the delivery short.
        private func close() async { await Task { [client, limit] in await client.close(within: limit) }.value }
    }
#endif
