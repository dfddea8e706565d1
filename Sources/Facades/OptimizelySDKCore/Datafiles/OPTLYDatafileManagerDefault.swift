public import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

// @unchecked Sendable because nothing in it changes but what is behind locks.
/// Fetches a datafile when it is made and at intervals, and keeps it in a file for the next start.
///
/// A newer datafile changes no client: it counts from the next `initialize` of a manager on. A datafile replaces the
/// kept one only if it can be used. While an app is in the background nothing is fetched.
open class OPTLYDatafileManagerDefault: NSObject, OPTLYDatafileManager, @unchecked Sendable {
    /// The time between two requests for a newer datafile, in seconds; 0: there is only the first one.
    public let datafileFetchInterval: TimeInterval
    /// Which datafile.
    public let datafileConfig: OPTLYDatafileConfig
    /// Is told of downloads that fail.
    public let errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Receives messages.
    public let logger: (any OPTLYLogger)?

    private let world = World.current
    private let download: DatafileDownload
    private let reports: DownloadReports
    private var poller: Task<Void, Never>?

    /// More than anybody waits.
    private static let year = 31_536_000.0

    /// Creates a manager and asks for the datafile; nil if there is no builder.
    public init?(builder: OPTLYDatafileManagerBuilder?) {
        guard let builder, let config = builder.datafileConfig else { return nil }
        let logger = builder.logger ?? OPTLYLoggerDefault.ofEverything
        let wanted = builder.datafileFetchInterval
        let floor = builder.minimumFetchInterval > 0 ? builder.minimumFetchInterval : 0
        datafileFetchInterval = wanted > 0 ? min(max(wanted, floor), Self.year) : 0
        datafileConfig = config
        self.logger = logger
        errorHandler = builder.errorHandler
        reports = DownloadReports(log: LoggerLog(logger), errorHandler: Handed(builder.errorHandler))
        // Who asks again soon anyway does not insist.
        download = reports.download(config, world, insists: datafileFetchInterval == 0)
        super.init()
        if wanted < datafileFetchInterval {
            reports.log(.warning, "datafiles are fetched every \(datafileFetchInterval) seconds, not \(wanted)")
        }
        poller = startPolling(floor: .seconds(min(floor, datafileFetchInterval)))
    }

    /// Creates a manager, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYDatafileManagerBuilderBlock) { self.init(builder: .init(block: block)) }

    deinit { poller?.cancel() }

    private func startPolling(floor: Duration) -> Task<Void, Never> {
        var schedule = PollingSchedule(interval: .seconds(datafileFetchInterval), floor: floor, random: world.random)
        let (clock, download, reports, repeats) = (world.clock, download, reports, datafileFetchInterval > 0)
        let foreground = ForegroundWatch()
        return Task(executorPreference: DispatchExecutor.waitedFor) {
            while !Task.isCancelled {
                if foreground.isActive {
                    let outcome = await download.outcome()
                    reports.report(outcome)
                    let hasFailed = outcome.error != nil
                    if hasFailed { schedule.failed(retryAfter: outcome.retryAfter) } else { schedule.succeeded() }
                }
                guard repeats, (try? await clock.sleep(for: schedule.delay())) != nil else { return }
            }
        }
    }

    // MARK: The datafile manager

    /// Asks for the newest datafile, and keeps it. Without an interval a failed request is repeated twice.
    open func downloadDatafile(
        _ datafileConfig: OPTLYDatafileConfig,
        completionHandler: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?
    ) {
        let isOwn = datafileConfig.isEqual(self.datafileConfig)
        (isOwn ? download : reports.download(datafileConfig, world, insists: true)).start { [reports] outcome in
            reports.report(outcome)
            completionHandler?(outcome.data, outcome.response, outcome.error)
        }
    }

    /// Keeps a datafile in place of the one that is kept.
    open func saveDatafile(_ datafile: Data) {
        do { try world.datafiles.keep(DatafileCopy(datafile: Array(datafile)), for: datafileConfig.key()) } catch {
            reports.log.failure(.error, "a datafile cannot be kept", error)
        }
    }

    /// The datafile that is kept, or nil: there is none.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? {
        (try? world.datafiles.copy(for: datafileConfig.key())).map { Data($0.datafile) }
    }

    /// Whether a datafile is kept.
    open func isDatafileCached() -> Bool { getSavedDatafile(nil) != nil }
}

/// Tells what became of downloads.
private struct DownloadReports: Sendable {
    let log: LoggerLog
    let errorHandler: Handed<(any OPTLYErrorHandlerProtocol)?>

    /// A download whose trouble is reported here.
    func download(_ config: OPTLYDatafileConfig, _ world: World, insists: Bool) -> DatafileDownload {
        // Waits after the first, the second and the last failed attempt, as callers are used to.
        let pauses: [Duration] = insists ? [.seconds(1), .seconds(2), .seconds(4)] : []
        return DatafileDownload(config, world, cache: world.datafiles, log: log, pauses: pauses)
    }

    func report(_ outcome: DatafileDownload.Outcome) {
        guard let error = outcome.error else {
            return log(.info, outcome.data == nil ? "the datafile is the newest" : "a newer datafile was downloaded")
        }
        errorHandler.value?.handleError(error)
        log(.debug, error.localizedDescription)
    }
}
