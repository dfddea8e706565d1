public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because its mutable state is behind locks, once its initializer has set the poller.
/// Downloads a datafile when it is created and at intervals, and stores it in a file for the next start.
///
/// A newer datafile does not affect existing clients: it takes effect with the next `initialize` of a manager. It
/// replaces the stored one only if it is usable. While an app is in the background nothing is downloaded; an overdue
/// download starts when the app becomes active again.
open class OPTLYDatafileManagerDefault: NSObject, OPTLYDatafileManager, @unchecked Sendable {
    /// The polling interval, in seconds; 0 means a single request.
    public let datafileFetchInterval: TimeInterval
    /// Identifies the datafile.
    public let datafileConfig: OPTLYDatafileConfig
    /// Receives the errors of failed downloads.
    public let errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Receives log messages.
    public let logger: (any OPTLYLogger)?

    private let environment: HostEnvironment
    private let makeDownload: @Sendable (_ config: OPTLYDatafileConfig, _ retries: Bool) -> LegacyDatafileDownload
    private let download: LegacyDatafileDownload
    private var poller: Task<Void, Never>?

    /// An upper bound for the interval.
    private static let year = 31_536_000.0

    /// Creates a manager and starts a download. Returns nil if the builder is nil.
    public init?(builder: OPTLYDatafileManagerBuilder?) {
        guard let builder, let config = builder.datafileConfig else { return nil }
        var environment = HostEnvironment.current
        if let folder = builder.cacheDirectory { environment.datafiles = FileDatafileCache(directory: folder) }
        self.environment = environment
        let logger = builder.logger ?? OPTLYLoggerDefault.ofEverything
        let wanted = builder.datafileFetchInterval
        let floor = builder.minimumFetchInterval > 0 ? builder.minimumFetchInterval : 0
        datafileFetchInterval = wanted > 0 ? min(max(wanted, floor), Self.year) : 0
        datafileConfig = config
        self.logger = logger
        errorHandler = builder.errorHandler
        let log = logger.log(key: config.key())
        makeDownload = Self.downloads(environment, log, UncheckedSendable(builder.errorHandler))
        // With polling, the next request follows anyway, so a failed one is not retried.
        download = makeDownload(config, datafileFetchInterval == 0)
        super.init()
        poller = startPolling(
            PollingSchedule(
                interval: .seconds(wanted > 0 ? min(wanted, Self.year) : 0),
                floor: .seconds(min(floor, datafileFetchInterval)),
                random: environment.random, log: log))
    }

    /// Creates a manager configured by a block, and starts a download.
    public convenience init?(_ block: OPTLYDatafileManagerBuilderBlock) { self.init(builder: .init(block: block)) }

    deinit { stopPolling() }

    /// Ends the downloads at intervals.
    func stopPolling() { poller?.cancel() }

    /// Returns a closure that creates downloads which log and report their results.
    private static func downloads(
        _ environment: HostEnvironment, _ log: NamedLog,
        _ errorHandler: UncheckedSendable<(any OPTLYErrorHandlerProtocol)?>
    ) -> @Sendable (OPTLYDatafileConfig, Bool) -> LegacyDatafileDownload {
        { config, retries in
            let cache = config.cache(over: environment.datafiles)
            return LegacyDatafileDownload(config, environment, cache: cache, retries: retries, log: log) { outcome in
                if let error = outcome.error {
                    errorHandler.value?.handleError(error)
                    log(.warning, "the cached datafile, if any, stays in use: \(error.localizedDescription)")
                } else if outcome.data == nil {
                    log(.info, "the datafile has not changed since the last download")
                } else {
                    log(.info, "downloaded a new datafile; it takes effect at the next initialize")
                }
            }
        }
    }

    private func startPolling(_ schedule: PollingSchedule) -> Task<Void, Never> {
        let (clock, download, repeats) = (environment.clock, download, datafileFetchInterval > 0)
        let foreground = ForegroundObserver { download.start { _ in } }
        return Task.detached(executorPreference: DispatchExecutor.blockingCallers) {
            var schedule = schedule
            while !Task.isCancelled {
                if foreground.allows() {
                    let outcome = await download.outcome()
                    let hasFailed = outcome.error != nil
                    if hasFailed { schedule.failed(retryAfter: outcome.retryAfter) } else { schedule.succeeded() }
                }
                guard repeats, (try? await clock.pause(for: schedule.delay())) != nil else { return }
            }
        }
    }

    // MARK: OPTLYDatafileManager

    /// Downloads the datafile and stores it. Without a polling interval there are up to three attempts, one and two
    /// seconds apart.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        let isOwn = datafileConfig.urlForKey() == download.url
        (isOwn ? download : makeDownload(datafileConfig, true)).start { outcome in
            completionHandler?(outcome.data, outcome.response, outcome.error)
        }
    }

    /// Stores a datafile in place of the current one.
    open func saveDatafile(_ datafile: Data) {
        let copy = DatafileCopy(datafile: Array(datafile))
        do { try datafileConfig.cache(over: environment.datafiles).keep(copy, for: datafileConfig.key()) } catch {
            logger?.log(key: datafileConfig.key()).failure(
                .error, "the datafile could not be stored for the next start", error)
        }
    }

    /// Returns the stored datafile, or nil, with an error, if there is none.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? {
        let datafile = datafile(of: datafileConfig)
        if datafile == nil { error?.pointee = OPTLYErrorTypes.dataStore.error("no datafile is cached for this key") }
        return datafile
    }

    /// The stored datafile for a config, which may differ from the manager's own; nil if there is none.
    func datafile(of config: OPTLYDatafileConfig) -> Data? {
        (try? config.cache(over: environment.datafiles).copy(for: config.key())).map { Data($0.datafile) }
    }

    /// The parsed form of a datafile that this manager downloaded or stored; nil for any other.
    func parsed(_ data: Data) -> Datafile? { download.parsed(data) }

    /// Returns whether a datafile is stored.
    open func isDatafileCached() -> Bool { getSavedDatafile(nil) != nil }
}

/// A block that configures an ``OPTLYDatafileManagerBuilder``.
public typealias OPTLYDatafileManagerBuilderBlock = (OPTLYDatafileManagerBuilder?) -> Void

/// The settings of an ``OPTLYDatafileManagerDefault``.
open class OPTLYDatafileManagerBuilder: NSObject {
    /// The polling interval, in seconds; an interval below ``minimumFetchInterval`` is raised to that, with a warning.
    /// Default: 0, a single request when the manager is created.
    public var datafileFetchInterval: TimeInterval = 0
    /// The minimum polling interval, in seconds. Lower it only for your own datafile server. Default: 120.
    public var minimumFetchInterval: TimeInterval = .init(DefaultDatafileHandler.standardMinimumInterval)
    // Callers need not unwrap it, as in the original.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Identifies the datafile. Required.
    public var datafileConfig: OPTLYDatafileConfig!
    /// The directory of stored datafiles, each in a file of its own. Default: nil, the folder `datafile` in this
    /// program's folder, which its processes share under one user account; copies that earlier versions and the
    /// Objective-C library stored beside it are moved there.
    public var cacheDirectory: URL?
    /// Receives the errors of failed downloads. Default: nil.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Receives log messages. Default: nil, an ``OPTLYLoggerDefault`` for all levels.
    public var logger: (any OPTLYLogger)?

    /// Creates a builder and configures it with a block. Returns nil if the block sets no ``datafileConfig``, or a
    /// negative interval.
    public init?(block: OPTLYDatafileManagerBuilderBlock) {
        super.init()
        block(self)
        guard datafileConfig != nil, datafileFetchInterval >= 0 else { return nil }
    }
}

/// Tracks whether the app is in the foreground. Programs without a foreground always count as active.
final class ForegroundObserver: Sendable {
    private final class Presence: Sendable {
        let state = Locked((isActive: true, isOverdue: false))
    }

    private static let entered = "UIApplicationDidBecomeActiveNotification"

    private let presence = Presence()
    private let observer: NotificationObserver

    /// Observes until released.
    ///
    /// - Parameter onResume: Performs a missed action when the app becomes active again.
    init(_ onResume: @escaping @Sendable () -> Void) {
        observer = NotificationObserver(["UIApplicationDidEnterBackgroundNotification", Self.entered]) {
            [presence] name in
            let isOverdue = presence.state.withLock { state in
                defer { state = (name == Self.entered, false) }
                return state.isOverdue && name == Self.entered
            }
            if isOverdue { onResume() }
        }
    }

    /// Whether an action may run now; if not, it is performed when the app becomes active again.
    func allows() -> Bool {
        presence.state.withLock { state in
            if !state.isActive { state.isOverdue = true }
            return state.isActive
        }
    }
}
