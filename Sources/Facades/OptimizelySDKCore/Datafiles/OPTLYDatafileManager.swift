public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

#if !canImport(ObjectiveC)
    /// Where a call puts its error, if it is not nil.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// Is told what became of a download: the datafile with its response; only a response: nothing has changed (304); an
/// error; or three times nil: nothing is known. Called once, from any thread.
public typealias OPTLYDatafileResponse = @Sendable (Data?, URLResponse?, (any Error)?) -> Void

/// Fetches datafiles and keeps the last one. Called from any thread.
public protocol OPTLYDatafileManager: AnyObject {
    /// Asks for the newest datafile, keeps it, and tells what became of that.
    func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?)
    /// Keeps a datafile.
    func saveDatafile(_ datafile: Data)
    /// The datafile that is kept, or nil, and maybe an error: there is none.
    func getSavedDatafile(_ error: NSErrorPointer) -> Data?
    /// Whether a datafile is kept.
    func isDatafileCached() -> Bool
}

extension OPTLYDatafileManager {
    /// Asks for the newest datafile, and keeps it.
    public func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig) {
        downloadDatafile(datafileConfig, completionHandler: nil)
    }

    /// Asks for the newest datafile, keeps it, and waits for it.
    ///
    /// - Returns: The datafile with its response; the one that is kept, if nothing has changed.
    /// - Throws: Why there is none; with the code `dataUnknown` if nothing is known.
    public func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig) async throws -> (Data, URLResponse) {
        let (data, response): (Data?, URLResponse) = try await withCheckedThrowingContinuation { continuation in
            downloadDatafile(datafileConfig) { data, response, error in
                if let response, error == nil { return continuation.resume(returning: (data, response)) }
                continuation.resume(throwing: error ?? OPTLYErrorTypes.dataUnknown.error("nobody has answered"))
            }
        }
        guard let data = data ?? getSavedDatafile(nil) else {
            throw OPTLYErrorTypes.dataUnknown.error("nothing has changed, and nothing is kept")
        }
        return (data, response)
    }
}

/// Fetches nothing and keeps nothing.
open class OPTLYDatafileManagerNoOp: NSObject, OPTLYDatafileManager {
    /// Completes at once, with nothing.
    open func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig, completionHandler: OPTLYDatafileResponse?) {
        completionHandler?(nil, nil, nil)
    }
    /// Does nothing.
    open func saveDatafile(_ datafile: Data) {}
    /// Nil.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? { nil }
    /// False.
    open func isDatafileCached() -> Bool { false }
}
