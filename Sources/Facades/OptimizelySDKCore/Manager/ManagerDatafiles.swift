import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

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
        await withCheckedContinuation { continuation in
            // A caller's datafile manager may call the completion twice, or never.
            let callback = OnceCallback<Result<Data?, NSError>> { result in
                switch result {
                case .success(let result): continuation.resume(returning: result)
                case .failure:
                    let message = "the datafile manager released the completion handler without calling it"
                    continuation.resume(returning: failure(message))
                }
            }
            // A caller's datafile manager may block.
            BlockingCall.start {
                manager.value.downloadDatafile(config.value) { data, response, error in
                    callback.give { .success(result(data, response, error)) }
                }
            }
        }
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
