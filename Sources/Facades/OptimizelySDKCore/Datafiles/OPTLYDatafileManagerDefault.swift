public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because nothing in it changes but what is behind locks, once its initializer has set the poller.
/// Fetches a datafile when it is made and at intervals, and keeps it in a file for the next start.
///
/// A newer datafile changes no client: it counts from the next `initialize` of a manager on. A datafile replaces the
/// kept one only if it can be used. While an app is in the background nothing is fetched; what was due by then is
/// fetched when the app is used again.
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
    private let makeDownload: @Sendable (_ config: OPTLYDatafileConfig, _ insists: Bool) -> DatafileDownload
    private let download: DatafileDownload
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
        makeDownload = Self.downloads(world, LoggerLog(logger), Handed(builder.errorHandler))
        // Who asks again soon anyway does not insist.
        download = makeDownload(config, datafileFetchInterval == 0)
        super.init()
        if wanted < datafileFetchInterval {
            let message = "datafiles are fetched every \(datafileFetchInterval) seconds, not \(wanted)"
            logger.logMessage(message, with: .warning)
        }
        poller = startPolling(floor: .seconds(min(floor, datafileFetchInterval)))
    }

    /// Creates a manager, as the form without a builder's name did.
    public convenience init?(_ block: OPTLYDatafileManagerBuilderBlock) { self.init(builder: .init(block: block)) }

    deinit { poller?.cancel() }

    /// Makes downloads that report what becomes of them.
    private static func downloads(
        _ world: World, _ log: LoggerLog, _ errorHandler: Handed<(any OPTLYErrorHandlerProtocol)?>
    ) -> @Sendable (OPTLYDatafileConfig, Bool) -> DatafileDownload {
        { config, insists in
            let cache = config.cache(over: world.datafiles)
            return DatafileDownload(config, world, cache: cache, insists: insists, log: log) { outcome in
                if let error = outcome.error {
                    errorHandler.value?.handleError(error)
                    log(.debug, error.localizedDescription)
                } else {
                    log(.info, outcome.data == nil ? "the datafile is the newest" : "a newer datafile was downloaded")
                }
            }
        }
    }

    private func startPolling(floor: Duration) -> Task<Void, Never> {
        var schedule = PollingSchedule(interval: .seconds(datafileFetchInterval), floor: floor, random: world.random)
        let (clock, download, repeats) = (world.clock, download, datafileFetchInterval > 0)
        let foreground = ForegroundWatch { download.start { _ in } }
        return Task(executorPreference: DispatchExecutor.waitedFor) {
            while !Task.isCancelled {
                if foreground.allows() {
                    let outcome = await download.outcome()
                    let hasFailed = outcome.error != nil
                    if hasFailed { schedule.failed(retryAfter: outcome.retryAfter) } else { schedule.succeeded() }
                }
                guard repeats, (try? await clock.sleep(for: schedule.delay())) != nil else { return }
            }
        }
    }

    // MARK: The datafile manager

    /// Asks for the newest datafile, and keeps it. Without an interval a failed request is repeated twice.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        let isOwn = datafileConfig.urlForKey() == download.url
        (isOwn ? download : makeDownload(datafileConfig, true)).start { outcome in
            completionHandler?(outcome.data, outcome.response, outcome.error)
        }
    }

    /// Keeps a datafile in place of the one that is kept.
    open func saveDatafile(_ datafile: Data) {
        let copy = DatafileCopy(datafile: Array(datafile))
        do { try datafileConfig.cache(over: world.datafiles).keep(copy, for: datafileConfig.key()) } catch {
            logger.map { LoggerLog($0).failure(.error, "a datafile cannot be kept", error) }
        }
    }

    /// The datafile that is kept, or nil, with an error: there is none.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? {
        let datafile = datafile(of: datafileConfig)
        if datafile == nil { error?.pointee = OPTLYErrorTypes.dataStore.error("no datafile is kept") }
        return datafile
    }

    /// The datafile that is kept of a config, which may be another than the manager's own; nil: there is none.
    func datafile(of config: OPTLYDatafileConfig) -> Data? {
        (try? config.cache(over: world.datafiles).copy(for: config.key())).map { Data($0.datafile) }
    }

    /// Whether a datafile is kept.
    open func isDatafileCached() -> Bool { getSavedDatafile(nil) != nil }
}
