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

    /// Where it is asked for.
    let url: URL
    private let source: HTTPDatafileSource
    private let clock: any Clock<Duration>
    private let pauses: [Duration]
    private let report: @Sendable (Outcome) -> Void
    private let running = Locked<Task<Outcome, Never>?>(nil)

    /// Prepares downloads.
    ///
    /// - Parameters:
    ///   - config: Which datafile.
    ///   - world: The network and the clock.
    ///   - cache: Where it is kept. Default: nowhere.
    ///   - insists: Whether a failed request is repeated twice. Default: false.
    ///   - log: Where trouble with the cache is reported. Default: nowhere.
    ///   - report: Is told of each outcome once, before those who asked, on a thread that may wait. Default: nobody.
    init(
        _ config: OPTLYDatafileConfig, _ world: World, cache: some DatafileCache = .memory, insists: Bool = false,
        log: any Log = .silent, report: @escaping @Sendable (Outcome) -> Void = { _ in }
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
        url = config.urlForKey()
        clock = world.clock
        // Waits after the first, the second and the last attempt, as callers are used to.
        pauses = insists ? [.seconds(1), .seconds(2), .seconds(4)] : [.zero]
        self.report = report
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
            let task =
                running
                ?? Task(executorPreference: DispatchExecutor.waitedFor) {
                    let outcome = await self.attempts()
                    self.running.withLock { $0 = nil }
                    await withCheckedContinuation { told in
                        BlockingCall.start {
                            self.report(outcome)
                            told.resume()
                        }
                    }
                    return outcome
                }
            running = task
            return task
        }
        return await task.value
    }

    private func attempts() async -> Outcome {
        var outcome = Outcome()
        for pause in pauses {
            outcome = await attempt()
            // Who has answered something that cannot be used will do so again.
            guard outcome.error?.code == Int(OPTLYErrorTypes.httpRequestManager.rawValue), pause > .zero,
                (try? await clock.sleep(for: pause)) != nil
            else { break }
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
        HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    }
}
