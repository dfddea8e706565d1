import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The making of one client. Remembers what the manager was made of when it began.
final class ManagerStart {
    let parts: ClientParts
    let core: Client
    private let datafiles: ManagerDatafiles?
    private let projectId: String?

    /// Why the newest datafile is not used, or nil: it is, or nobody asked for it.
    var failure: NSError? { datafiles?.failure }

    /// Begins with what the manager's parts have.
    init(_ manager: OPTLYManagerBase) {
        parts = manager.parts
        projectId = manager.projectId
        datafiles = ManagerDatafiles(manager.datafileManager, manager.datafileConfig)
        core = parts.core(datafiles: datafiles, bundled: manager.datafile)
    }

    /// Begins and ends with a datafile.
    init(_ manager: OPTLYManagerBase, with datafile: Data) {
        parts = manager.parts
        projectId = manager.projectId
        datafiles = nil
        core = parts.core(datafile: datafile)
        check()
    }

    /// Starts with the kept datafile, or the one that comes with the program.
    func withWhatIsAtHand() {
        do { try core.startAtOnce(refreshing: false) } catch { parts.log(.error, "the client is a dummy: \(error)") }
        check()
    }

    /// Starts with the newest datafile, or what is at hand.
    func withNewest() async {
        do { try await core.start() } catch { parts.log(.error, "the client is a dummy: \(error)") }
        check()
    }

    private func check() {
        guard let project = core.project else { return }
        if let projectId, projectId != project.projectID {
            let message = "the datafile is of project \(project.projectID), not \(projectId)"
            parts.log(.warning, message)
            parts.errorHandler.handleError(OPTLYErrorTypes.datafileInvalid.error(message))
        }
        // What comes with the program may be older than what users were assigned since.
        guard datafiles != nil, !core.hasNothingFromSource,
            let service = parts.userProfileService as? OPTLYUserProfileServiceDefault
        else { return }
        let experiments = project.experiments.map(\.id)
        BlockingCall.start { service.removeInvalidExperiments(forAllUsers: experiments) }
    }
}

/// A manager's datafiles in the form that clients know.
final class ManagerDatafiles: DatafileSource {
    private let manager: Handed<any OPTLYDatafileManager>
    private let config: Handed<OPTLYDatafileConfig>
    private let lastFailure = Locked<NSError?>(nil)

    init?(_ manager: (any OPTLYDatafileManager)?, _ config: OPTLYDatafileConfig?) {
        guard let manager, let config else { return nil }
        (self.manager, self.config) = (Handed(manager), Handed(config))
    }

    var failure: NSError? { lastFailure.withLock { $0 } }

    func kept() -> [UInt8]? {
        let (manager, config) = (manager.value, config.value)
        // The manager's own may be another one: that of an app's manager can be replaced.
        if let manager = manager as? OPTLYDatafileManagerDefault,
            config.urlForKey() != manager.datafileConfig.urlForKey()
        {
            return manager.datafile(of: config).map { Array($0) }
        }
        return manager.getSavedDatafile(nil).map { Array($0) }
    }

    func newest() async throws -> [UInt8]? {
        let result: Result<[UInt8]?, NSError> = await withCheckedContinuation { continuation in
            // A manager of a caller may complete twice, or never.
            let answer = SingleAnswer<Result<[UInt8]?, NSError>> { answer in
                switch answer {
                case .success(let result): continuation.resume(returning: result)
                case .failure: continuation.resume(returning: Self.failure("the manager gave no answer"))
                }
            }
            // A manager of a caller may wait for its answer.
            BlockingCall.start { [manager, config] in
                manager.value.downloadDatafile(config.value) { data, response, error in
                    answer.give { .success(Self.result(data, response, error)) }
                }
            }
        }
        if case .failure(let error) = result { lastFailure.withLock { $0 = error } }
        return try result.get()
    }

    private static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<[UInt8]?, NSError> {
        if let error { return .failure(error as NSError) }
        switch (response as? HTTPURLResponse)?.statusCode {
        case 304: return .success(nil)
        case nil, 200: return usable(data)
        case let status?: return failure("the server of datafiles answered \(status)")
        }
    }

    /// Checked here, because a client goes on with an earlier datafile without a word.
    private static func usable(_ data: Data?) -> Result<[UInt8]?, NSError> {
        guard let datafile = data.map({ Array($0) }) else { return .success(nil) }
        do throws(DatafileError) { _ = try Project(datafile: datafile, format: .legacy) } catch {
            return .failure(OPTLYErrorTypes.datafileInvalid.error("the newest datafile cannot be used: \(error)"))
        }
        return .success(datafile)
    }

    private static func failure(_ message: String) -> Result<[UInt8]?, NSError> {
        .failure(OPTLYErrorTypes.httpRequestManager.error(message))
    }
}
