extension FlagClient {
    /// Downloads the newest datafile and decides with it from then on. Polls if configured.
    ///
    /// If the source has no usable datafile, its cached copy is used, or else the bundled datafile. For programs that
    /// must not wait, see ``startFromCacheOrBundle(refreshing:)``.
    ///
    /// - Throws: ``StartError`` if none of them can be used. Polling begins nevertheless, and the call can be repeated.
    public func start() async throws(StartError) {
        decisionSignal.reopen()
        try await updater.start()
    }

    /// Decides from now on with the datafile that the source cached in an earlier run, or with the bundled one. Does
    /// not wait for the network.
    ///
    /// The cached datafile takes precedence if it is usable and belongs to the bundled one's project; see
    /// ``ClientConfiguration/prefersHigherRevision``. The newest datafile is requested afterwards, and listeners are
    /// notified of it. Polls if configured.
    ///
    /// ```swift
    /// configuration.bundledDatafile = bytes
    /// let client = FlagClient(configuration)
    /// try client.startFromCacheOrBundle()
    /// ```
    ///
    /// - Parameter refreshing: Whether to request the newest datafile afterwards, in a separate task. Default: true.
    ///   This also happens if the call throws; ``project`` is set once the source has a datafile.
    /// - Throws: ``StartError``, if neither datafile can be used.
    public func startFromCacheOrBundle(refreshing: Bool = true) throws(StartError) {
        decisionSignal.reopen()
        try updater.startFromCacheOrBundle(refreshing: refreshing)
    }

    /// Requests the newest datafile, and decides with it if its revision differs. Listeners are notified.
    ///
    /// - Returns: Whether the revision differs.
    /// - Throws: ``StartError``, if the request failed or the datafile cannot be used.
    @discardableResult
    public func refresh() async throws(StartError) -> Bool { try await updater.refresh() }

    /// Decides with another datafile from now on if its revision differs. Listeners are notified.
    ///
    /// - Returns: Whether the revision differs.
    /// - Throws: ``StartError``, if the datafile cannot be used; the client keeps the one it has.
    @discardableResult
    public func update(to datafile: [UInt8]) throws(StartError) -> Bool { try updater.update(to: datafile) }

    /// Stops polling and detecting staleness.
    package func stopPolling() { updater.stop() }

    /// Starts the client, keeps its datafile current until the task is canceled, then closes the client.
    ///
    /// For task groups, and for the service groups of server frameworks:
    ///
    /// ```swift
    /// try await withThrowingTaskGroup { group in
    ///     group.addTask { try await client.run() }
    ///     group.addTask { try await server.run() }
    ///     try await group.next()
    ///     group.cancelAll()
    /// }
    /// ```
    ///
    /// If the first request fails and no other datafile can be used, the client continues to poll or to wait for a
    /// stream, so a server can start during an outage; see ``waitUntilReady(within:)``.
    ///
    /// - Parameter limit: The time for the last events, assignments and listeners; see ``close(within:)``. Default: 10
    ///   seconds.
    /// - Throws: ``StartError`` if there is no datafile and no further request would change that: the client
    ///   neither polls nor streams, or the configuration of the source is invalid.
    public func run(closingWithin limit: Duration = .seconds(10)) async throws(StartError) {
        var failure: StartError?
        do throws(StartError) { try await start() } catch {
            let recovers = updater.updatesByItself && !error.isPermanent
            if recovers, !Task.isCancelled {
                let next = configuration.polls ? "polling continues" : "waiting for the stream"
                configuration.log(.warning, "\(error); \(next)")
            }
            failure = recovers ? nil : error
        }
        let isCancelled = Task.isCancelled
        if failure == nil { await untilCancelled() }
        // A new task, since this one is canceled.
        await Task { await close(within: limit) }.value
        if let failure, !isCancelled { throw failure }
    }

    private func untilCancelled() async {
        let cancellation = OneShot<Void>()
        await withTaskCancellationHandler {
            await cancellation.value()
        } onCancel: {
            cancellation.end(())
        }
    }
}
