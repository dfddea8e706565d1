/// Requests the datafile whenever its source reports a change.
package final class ChangeFollower: Sendable {
    private let source: any ChangeReportingSource
    private weak let monitor: DatafileMonitor?
    private let services: RuntimeServices
    private let polls: Bool
    private let refresh: @Sendable () async throws(StartError) -> Void
    private let isDown = Locked(false)

    /// The first and the longest pause between failed requests for an announced datafile.
    private static let (firstPause, longestPause) = (Duration.seconds(1), Duration.seconds(30))

    /// Creates an inactive follower.
    ///
    /// - Parameters:
    ///   - source: Reports changes.
    ///   - monitor: Records them. Not retained.
    ///   - services: Clock, random numbers and log.
    ///   - polls: Whether the client also polls, for the log.
    ///   - refresh: Requests the newest datafile and installs it.
    package init(
        _ source: any ChangeReportingSource, _ monitor: DatafileMonitor, _ services: RuntimeServices, polls: Bool,
        refresh: @escaping @Sendable () async throws(StartError) -> Void
    ) {
        (self.source, self.monitor, self.services) = (source, monitor, services)
        (self.polls, self.refresh) = (polls, refresh)
    }

    /// Follows changes until the task is canceled.
    package func run() async {
        // Changes during a request are combined: only the newest datafile matters.
        let (changes, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask { [self] in
                await source.reportChanges(clock: services.clock, random: services.random) { [self] report in
                    monitor?.received(report)
                    log(report)
                    switch report {
                    case .opened: continuation.yield(nil)
                    case .changed(let tag): continuation.yield(tag)
                    case .closed: break
                    }
                }
                continuation.finish()
            }
            for await tag in changes { await fetch(tag) }
        }
    }

    /// Requests the datafile, until a request succeeds.
    private func fetch(_ announced: String?) async {
        var backoff = Backoff(first: Self.firstPause, longest: Self.longestPause, random: services.random)
        var isRepeated = false
        while !Task.isCancelled, announced == nil || source.entityTag != announced {
            do throws(StartError) {
                try await refresh()
                // The response may be that of a poll which the server had received before the change.
                guard announced != nil, !isRepeated else { return }
                isRepeated = true
            } catch {
                guard !Task.isCancelled, !error.isCancellation else { return }
                monitor?.requestEnded(.failed(error))
                let pause = max(backoff.delay(), error.retryAfter ?? .zero)
                services.log(
                    .warning, "a changed datafile could not be downloaded: \(error); next request in \(pause.logText)")
                guard !error.isPermanent, (try? await services.clock.pause(for: pause)) != nil else { return }
            }
        }
    }

    /// Logs when the stream opens or breaks. Repeated failures are logged at a lower level.
    private func log(_ report: DatafileChangeReport) {
        switch report {
        case .changed: break
        case .opened:
            isDown.withLock { $0 = false }
            services.log(.info, "the stream of datafile changes is open")
        case .closed(let error, let pause):
            let isFirst = isDown.withLock { isDown in
                defer { isDown = true }
                return !isDown
            }
            let polling = polls ? "polling continues" : "the client does not poll"
            let next = pause.map { "next attempt in \($0.logText)" } ?? "no further attempt follows"
            services.log(
                isFirst ? .warning : .info, "the stream of datafile changes is down: \(error); \(polling), \(next)")
        }
    }
}
