import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads the datafile of one environment; everybody who asks at the same time gets the same outcome.
final class DatafileDownload: Sendable {
    /// What completion handlers get.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: NSError?
        /// How long the server wants to be left alone, or nil: it does not say.
        var retryAfter: Duration?
    }

    private let config: Handed<OPTLYDatafileConfig>
    private let source: HTTPDatafileSource
    private let clock: any Clock<Duration>
    private let pauses: [Duration]
    private let running = Locked<Task<Outcome, Never>?>(nil)

    /// Prepares downloads.
    ///
    /// - Parameters:
    ///   - config: Which datafile.
    ///   - world: The network and the clock.
    ///   - cache: Where it is kept.
    ///   - log: Where trouble with that is reported.
    ///   - pauses: How long to wait after each failed attempt; empty: there is only one attempt.
    init(
        _ config: OPTLYDatafileConfig, _ world: World, cache: some DatafileCache, log: any Log, pauses: [Duration]
    ) {
        var options = HTTPDatafileOptions()
        options.address = config.address
        options.format = .legacy
        options.isProjectID = config.isOfProject
        options.deadline = .seconds(60)
        options.log = log
        let noTransport = MemoryTransport { _ in throw TransportError(.unreachable, "no network transport") }
        source = HTTPDatafileSource(
            sdkKey: config.key(), transport: world.transport ?? noTransport, cache: cache, options: options)
        self.config = Handed(config)
        clock = world.clock
        self.pauses = pauses
    }

    /// Downloads, and tells the outcome on a thread that may wait.
    func start(_ done: @escaping @Sendable (Outcome) -> Void) {
        Task(executorPreference: DispatchExecutor.waitedFor) {
            let outcome = await self.outcome()
            BlockingCall.start { done(outcome) }
        }
    }

    /// Downloads, and waits for the outcome.
    func outcome() async -> Outcome {
        let task = running.withLock { running in
            if let running { return running }
            let new = Task(executorPreference: DispatchExecutor.waitedFor) {
                let outcome = await self.attempts()
                self.running.withLock { $0 = nil }
                return outcome
            }
            running = new
            return new
        }
        return await task.value
    }

    private func attempts() async -> Outcome {
        guard !pauses.isEmpty else { return await attempt() }
        var outcome = Outcome()
        for pause in pauses {
            outcome = await attempt()
            // Who has answered something that cannot be used will do so again.
            guard outcome.error?.code == Int(OPTLYErrorTypes.httpRequestManager.rawValue) else { break }
            guard (try? await clock.sleep(for: pause)) != nil else { break }
        }
        return outcome
    }

    private func attempt() async -> Outcome {
        do {
            let datafile = try await source.newest()
            return Outcome(data: datafile.map { Data($0) }, response: response(datafile == nil ? 304 : 200))
        } catch DatafileSourceError.status(let status, let retryAfter) {
            let error = OPTLYErrorTypes.httpRequestManager.error("the server of datafiles answered \(status)")
            return Outcome(response: response(status), error: error, retryAfter: retryAfter)
        } catch let error as DatafileSourceError {
            return Outcome(error: OPTLYErrorTypes.datafileInvalid.error("\(error)"))
        } catch {
            return Outcome(error: OPTLYErrorTypes.httpRequestManager.error("no datafile: \(error)"))
        }
    }

    private func response(_ status: Int) -> URLResponse? {
        HTTPURLResponse(url: config.value.urlForKey(), statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    }
}
