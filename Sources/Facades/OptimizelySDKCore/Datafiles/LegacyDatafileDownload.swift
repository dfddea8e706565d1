import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Downloads the datafile of one environment; concurrent requests share one download.
final class LegacyDatafileDownload: Sendable {
    /// The result for completion handlers.
    struct Outcome: Sendable {
        var data: Data?
        var response: URLResponse?
        var error: NSError?
        /// The back-off that the server asks for, or nil if it does not specify one.
        var retryAfter: Duration?
        /// Whether a retry may succeed.
        var isRetryable = false
    }

    /// The URL of the datafile.
    let url: URL
    private let source: HTTPDatafileSource
    private let clock: any Clock<Duration>
    private let pauses: [Duration]
    private let report: @Sendable (Outcome) -> Void
    private let downloads = SingleFlight<URL, Outcome>()

    /// Creates a download.
    ///
    /// - Parameters:
    ///   - config: Identifies the datafile.
    ///   - environment: Provides the network and the clock.
    ///   - cache: Stores the datafile. Default: in memory.
    ///   - retries: Whether a failed request is retried twice. Default: false.
    ///   - log: Receives errors of the cache. Default: discards them.
    ///   - report: Receives each result once, before the completion handlers, on a thread that may block. Default: does
    ///     nothing.
    init(
        _ config: OPTLYDatafileConfig, _ environment: HostEnvironment, cache: some DatafileCache = .memory,
        retries: Bool = false,
        log: any Log = .silent, report: @escaping @Sendable (Outcome) -> Void = { _ in }
    ) {
        var options = HTTPDatafileOptions()
        options.address = config.address
        options.format = .legacy
        options.isProjectID = config.isOfProject
        options.deadline = .seconds(60)
        options.log = log
        let noTransport = MemoryTransport { _ in
            throw TransportError(.unreachable, "this build has no network transport")
        }
        source = HTTPDatafileSource(
            sdkKey: config.key(), transport: environment.transport ?? noTransport, cache: cache, options: options)
        url = config.urlForKey()
        clock = environment.clock
        pauses = retries ? [.seconds(1), .seconds(2)] : []
        self.report = report
    }

    /// The parsed form of a datafile that was downloaded or cached; nil for any other.
    func parsed(_ data: Data) -> Datafile? {
        guard let datafile = source.cached(), datafile.bytes.count == data.count else { return nil }
        return data.withUnsafeBytes { $0.elementsEqual(datafile.bytes) } ? datafile : nil
    }

    /// Downloads, and passes the result to `done` on a thread that may block.
    func start(_ done: @escaping @Sendable (Outcome) -> Void) {
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            let outcome = await self.outcome()
            BlockingCall.start { done(outcome) }
        }
    }

    /// Downloads, and waits for the result. The download continues if the caller is canceled.
    func outcome() async -> Outcome {
        await Task(executorPreference: DispatchExecutor.blockingCallers) {
            await self.downloads.value(for: self.url) {
                let outcome = await self.attempts()
                // Callers from now on start a new download.
                self.downloads.reset()
                await BlockingCall.value { self.report(outcome) }
                return outcome
            }
        }.value
    }

    private func attempts() async -> Outcome {
        var outcome = await attempt()
        for pause in pauses {
            guard outcome.isRetryable, (try? await clock.pause(for: pause)) != nil else { break }
            outcome = await attempt()
        }
        return outcome
    }

    private func attempt() async -> Outcome {
        do {
            let datafile = try await source.newest()
            return Outcome(data: datafile.map { Data($0.bytes) }, response: response(datafile == nil ? 304 : 200))
        } catch DatafileSourceError.status(let status, let retryAfter) {
            let error = OPTLYErrorTypes.httpRequestManager.error(
                "the datafile server, \(host), responded with HTTP status \(status)")
            return Outcome(response: response(status), error: error, retryAfter: retryAfter, isRetryable: true)
        } catch let error as DatafileSourceError {
            return Outcome(error: OPTLYErrorTypes.datafileInvalid.error("\(error)"))
        } catch {
            // An invalid URL does not become valid.
            let isRetryable = (error as? TransportError)?.code != .badAddress
            return Outcome(
                error: OPTLYErrorTypes.httpRequestManager.error("no datafile from \(host): \(error)"),
                isRetryable: isRetryable)
        }
    }

    /// The server's host; the path is omitted because it contains a key.
    private var host: String { url.host() ?? "an address without a host" }

    private func response(_ status: Int) -> URLResponse? {
        HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: nil)
    }
}
