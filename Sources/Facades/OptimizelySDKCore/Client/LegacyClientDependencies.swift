import Foundation
import Optimizely
import TurnoutClient

/// The services of a client.
struct LegacyClientDependencies {
    var logger: any OPTLYLogger
    var errorHandler: any OPTLYErrorHandlerProtocol
    var eventDispatcher: any OPTLYEventDispatcher
    var userProfileService: (any OPTLYUserProfileService)?
    var clientEngine: String
    var clientVersion: String
    var legacyBucketing: Bool
    var environment: HostEnvironment
    /// Records the state of the client's datafile.
    let datafileMonitor: DatafileMonitor
    /// The SDK key or project id.
    var key: String?

    var log: NamedLog { logger.log(key: key) }

    /// A runtime with these parts and without a datafile.
    ///
    /// It sends no events: a dispatcher of the older interface has one method for impressions and one for conversions,
    /// so the client calls it.
    func runtime() -> DecisionRuntime {
        var services = RuntimeServices()
        services.datafileFormat = .legacy
        services.profiles = ServiceBridge.access(to: userProfileService)
        services.clock = environment.clock
        services.wallClock = environment.wallClock
        services.random = environment.random
        services.log = log
        services.clientName = clientEngine
        services.clientVersion = clientVersion
        return DecisionRuntime(services)
    }

    /// A runtime that decides with a datafile. If the datafile cannot be used, the error handler is called.
    func runtime(datafile: Data?, parsedBy memo: DatafileMemo = DatafileMemo(format: .legacy)) -> DecisionRuntime {
        let runtime = runtime()
        guard let datafile else { return runtime }
        do throws(DatafileError) {
            let project = try memo.project(of: datafile)
            runtime.install(project, keepsForcedVariations: false, origin: .passed)
            datafileMonitor.installed(project, .passed)
        } catch {
            let cause = StartError.datafile(error)
            datafileMonitor.refused(cause)
            report(.datafileInvalid, "the client has no datafile, the one it was given cannot be used: \(cause)")
        }
        return runtime
    }

    /// Reports an error to the log and to the error handler.
    func report(_ type: OPTLYErrorTypes, _ message: String) {
        log(.error, message)
        errorHandler.handleError(type.error(message))
    }
}

extension HostEnvironment {
    /// A monitor of a new client's datafile.
    func datafileMonitor() -> DatafileMonitor {
        DatafileMonitor(clock: clock, wallClock: wallClock, log: .silent)
    }
}
