extension FlagClient {
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
