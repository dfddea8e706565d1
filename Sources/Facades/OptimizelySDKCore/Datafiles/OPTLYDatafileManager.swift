public import Foundation
import Optimizely
package import TurnoutClient

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

#if !canImport(ObjectiveC)
    /// A pointer through which a method returns an error, if the pointer is not nil.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// Receives the result of a download: the datafile with its response; only a response if the datafile has not changed
/// (304); an error; or nil for all three if nothing is known. Called once, from any thread.
public typealias OPTLYDatafileResponse = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

/// A service that downloads datafiles and stores the last one.
///
/// A manager calls ``getSavedDatafile(_:)`` from any thread, and ``downloadDatafile(_:completionHandler:)`` on a thread
/// that may block, when a client is created with a download. The other methods are for the program; storing is the
/// service's own task. Failures are passed to the completion handler. If the service releases the handler without
/// calling it, that counts as a failure; if it keeps it, the manager waits for ``OPTLYManagerBuilder/startTimeout``.
public protocol OPTLYDatafileManager: AnyObject {
    /// Downloads the datafile, stores it, and passes the result to the completion handler.
    func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?)
    /// Stores a datafile.
    func saveDatafile(_ datafile: Data)
    /// Returns the stored datafile, or nil, optionally with an error, if there is none.
    func getSavedDatafile(_ error: NSErrorPointer) -> Data?
    /// Returns whether a datafile is stored.
    func isDatafileCached() -> Bool
}

extension OPTLYDatafileManager {
    /// Downloads the datafile and stores it.
    public func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig) {
        downloadDatafile(datafileConfig, completionHandler: nil)
    }

    /// Downloads the datafile and stores it.
    ///
    /// - Returns: The datafile with its response; the stored datafile if it has not changed.
    /// - Throws: The error of the download; an error with the code `dataUnknown` if nothing is known.
    public func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig) async throws -> (Data, URLResponse) {
        let (data, response): (Data?, URLResponse) = try await withCheckedThrowingContinuation { continuation in
            downloadDatafile(datafileConfig) { data, response, error in
                if let response, error == nil { return continuation.resume(returning: (data, response)) }
                let message = "the datafile manager completed without a response"
                continuation.resume(throwing: error ?? OPTLYErrorTypes.dataUnknown.error(message))
            }
        }
        guard let data = data ?? getSavedDatafile(nil) else {
            throw OPTLYErrorTypes.dataUnknown.error("the datafile has not changed, but no copy of it is cached")
        }
        return (data, response)
    }
}

/// Downloads and stores nothing.
open class OPTLYDatafileManagerNoOp: NSObject, OPTLYDatafileManager {
    /// Calls the completion handler immediately, with nil for all arguments.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        completionHandler?(nil, nil, nil)
    }
    /// Does nothing.
    open func saveDatafile(_ datafile: Data) {}
    /// Returns nil.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? { nil }
    /// Returns false.
    open func isDatafileCached() -> Bool { false }
}

// @unchecked Sendable because its mutable state is behind a lock.
/// Downloads datafiles on request, with one attempt, and keeps the last one in memory.
open class OPTLYDatafileManagerBasic: NSObject, OPTLYDatafileManager, @unchecked Sendable {
    private let environment = HostEnvironment.current
    private let datafile = Locked<Data?>(nil)
    private let lastDownload = Locked<LegacyDatafileDownload?>(nil)

    /// Downloads the datafile and keeps it.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        let download = LegacyDatafileDownload(datafileConfig, environment)
        download.start { outcome in
            if let data = outcome.data {
                self.lastDownload.withLock { $0 = download }
                self.saveDatafile(data)
            }
            completionHandler?(outcome.data, outcome.response, outcome.error)
        }
    }

    /// The parsed form of the datafile of the last download; nil for any other.
    package func parsed(_ data: Data) -> Datafile? { lastDownload.withLock { $0 }?.parsed(data) }

    /// Keeps a datafile.
    open func saveDatafile(_ datafile: Data) { self.datafile.withLock { $0 = datafile } }
    /// Returns the last datafile, or nil if there is none yet.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? { datafile.withLock { $0 } }
    /// Returns whether there is a datafile.
    open func isDatafileCached() -> Bool { getSavedDatafile(nil) != nil }
}
