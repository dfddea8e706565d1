import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The creation of one client, with the manager's services at the time of the call.
final class ManagerStart {
    let parts: LegacyClientDependencies
    let runtime: DecisionRuntime
    private let updater: ProjectUpdater
    private let datafiles: ManagerDatafiles?
    private let projectId: String?

    /// Why the current datafile is not used, or nil if it is used or was not requested.
    var failure: NSError? { datafiles?.failure }

    /// Creates a client core with the manager's services.
    init(_ manager: OPTLYManagerBase) {
        parts = manager.parts
        projectId = manager.projectId
        datafiles = ManagerDatafiles(manager.datafileManager, manager.datafileConfig)
        runtime = parts.runtime()
        updater = ProjectUpdater(
            runtime, source: datafiles, bundled: manager.datafile.map { Array($0) }, monitor: parts.datafileMonitor)
    }

    /// Creates a client core with the given datafile only.
    init(_ manager: OPTLYManagerBase, with datafile: Data) {
        parts = manager.parts
        projectId = manager.projectId
        datafiles = nil
        runtime = parts.runtime(datafile: datafile)
        updater = ProjectUpdater(runtime, source: nil, bundled: nil)
        check()
    }

    /// Starts with the cached or bundled datafile.
    func fromCacheOrBundle() {
        do { try updater.startFromCacheOrBundle(refreshing: false) } catch {
            var cause = "\(error)"
            if case .unavailable = error { cause = "none is cached or bundled" }
            reportDummy("\(cause); initialize(callback:) downloads one")
        }
        check()
    }

    /// Starts with the downloaded datafile, or else the cached or bundled one.
    ///
    /// - Parameter limit: The time limit for the download; nil means the datafile manager's limit.
    func withNewest(within limit: Duration?) async {
        datafiles?.setLimit(limit, on: parts.environment.clock)
        do { try await updater.start() } catch {
            let cause = failure?.localizedDescription ?? "\(error)"
            reportDummy("\(cause); none is cached or bundled")
        }
        check()
    }

    private func reportDummy(_ cause: String) {
        parts.log(.error, "the client has no datafile: its methods log an error and return nothing. \(cause)")
    }

    private func check() {
        guard let project = runtime.project else { return }
        if let projectId, projectId != project.projectID {
            let message =
                "the datafile belongs to project \(project.projectID), and the manager's projectId is \(projectId); "
                + "the datafile is used. Check the key or the bundled file."
            parts.log(.warning, message)
            parts.errorHandler.handleError(OPTLYErrorTypes.datafileInvalid.error(message))
        }
        // A bundled datafile may be older than users' assignments.
        guard datafiles != nil, !runtime.lacksDownloadedProject,
            let service = parts.userProfileService as? OPTLYUserProfileServiceDefault
        else { return }
        let experiments = project.experiments.map(\.id)
        BlockingCall.start { service.removeInvalidExperiments(forAllUsers: experiments) }
    }
}

/// Adapts a datafile manager to the client's datafile source.
final class ManagerDatafiles: DatafileSource {
    private let manager: UncheckedSendable<any OPTLYDatafileManager>
    private let config: UncheckedSendable<OPTLYDatafileConfig>
    private let lastFailure = Locked<NSError?>(nil)
    private let limit = Locked<(duration: Duration, clock: any Clock<Duration>)?>(nil)

    init?(_ manager: (any OPTLYDatafileManager)?, _ config: OPTLYDatafileConfig?) {
        guard let manager, let config else { return nil }
        (self.manager, self.config) = (UncheckedSendable(manager), UncheckedSendable(config))
    }

    var failure: NSError? { lastFailure.withLock { $0 } }

    /// Sets the time limit for the download.
    func setLimit(_ duration: Duration?, on clock: any Clock<Duration>) {
        limit.withLock { $0 = duration.map { ($0, clock) } }
    }

    func cached() -> Datafile? { savedData().flatMap { try? parse($0) } }

    private func savedData() -> Data? {
        let (manager, config) = (manager.value, config.value)
        // The manager's own config may differ, because a manager's `datafileManager` can be replaced.
        if let manager = manager as? OPTLYDatafileManagerDefault,
            config.urlForKey() != manager.datafileConfig.urlForKey()
        {
            return manager.datafile(of: config)
        }
        return manager.getSavedDatafile(nil)
    }

    func newest() async throws -> Datafile? {
        switch await result().flatMap(datafile) {
        case .success(let datafile): return datafile
        case .failure(let error):
            lastFailure.withLock { $0 = error }
            throw StartDownloadError(error: error)
        }
    }

    /// Parses a datafile, unless the manager has done so.
    private func parse(_ data: Data) throws(DatafileError) -> Datafile {
        let known =
            (manager.value as? OPTLYDatafileManagerDefault)?.parsed(data)
            ?? (manager.value as? OPTLYDatafileManagerBasic)?.parsed(data)
        if let known { return known }
        return try Datafile([UInt8](data), format: .legacy)
    }

    private func datafile(_ data: Data?) -> Result<Datafile?, NSError> {
        guard let data else { return .success(nil) }
        do throws(DatafileError) { return .success(try parse(data)) } catch {
            return .failure(OPTLYErrorTypes.datafileInvalid.error("the downloaded datafile cannot be used: \(error)"))
        }
    }

    private func result() async -> Result<Data?, NSError> {
        let (manager, config) = (manager, config)
        guard let (duration, clock) = limit.withLock({ $0 }) else { return await Self.download(manager, config) }
        let result = await value(within: duration, on: clock, executor: DispatchExecutor.blockingCallers) {
            await Self.download(manager, config)
        }
        return result
            ?? Self.failure(
                "the newest datafile did not arrive within \(duration); the download continues for the next start")
    }

    private static func download(
        _ manager: UncheckedSendable<any OPTLYDatafileManager>, _ config: UncheckedSendable<OPTLYDatafileConfig>
    ) async -> Result<Data?, NSError> {
        // A caller's datafile manager may call the completion twice, or never.
        let result = await OnceCallback<Result<Data?, NSError>>.result { callback in
            manager.value.downloadDatafile(config.value) { data, response, error in
                callback.give { .success(Self.result(data, response, error)) }
            }
        }
        if case .success(let result) = result { return result }
        return failure("the datafile manager released the completion handler without calling it")
    }

    private static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<Data?, NSError> {
        if let error { return .failure(error as NSError) }
        switch (response as? HTTPURLResponse)?.statusCode {
        case 304: return .success(nil)
        case nil, 200: return .success(data)
        case let status?: return failure("the datafile server responded with HTTP status \(status)")
        }
    }

    private static func failure(_ message: String) -> Result<Data?, NSError> {
        .failure(OPTLYErrorTypes.httpRequestManager.error(message))
    }
}

/// A failed download. Only this library's own error messages are logged; other errors by domain and code.
private struct StartDownloadError: PrintableError {
    let error: NSError
    var description: String {
        error.domain == OPTLYErrorTypes.domain ? error.localizedDescription : "\(error.domain), code \(error.code)"
    }
}
