import Foundation
import Optimizely
import TurnoutClient

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
