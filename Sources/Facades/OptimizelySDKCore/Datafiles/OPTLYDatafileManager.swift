public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

#if !canImport(ObjectiveC)
    /// Where a call puts its error. The error is not set, because the old library's callers passed nil.
    public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
#endif

/// Fetches datafiles and keeps the last one. Called from any thread.
public protocol OPTLYDatafileManager: AnyObject {
    /// Asks for the newest datafile, and keeps it.
    ///
    /// - Parameters:
    ///   - datafileConfig: Which one.
    ///   - completionHandler: Gets the datafile with its response; only a response: nothing has changed (304); an
    ///     error; or three times nil: nothing is known. Called once, from any thread.
    func downloadDatafile(
        _ datafileConfig: OPTLYDatafileConfig,
        completionHandler: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?)

    /// Keeps a datafile.
    func saveDatafile(_ datafile: Data)

    /// The datafile that is kept, or nil: there is none.
    func getSavedDatafile(_ error: NSErrorPointer) -> Data?

    /// Whether a datafile is kept.
    func isDatafileCached() -> Bool
}

extension OPTLYDatafileManager {
    /// Asks for the newest datafile, and keeps it.
    public func downloadDatafile(_ datafileConfig: OPTLYDatafileConfig) {
        downloadDatafile(datafileConfig, completionHandler: nil)
    }
}

/// Fetches nothing and keeps nothing.
open class OPTLYDatafileManagerNoOp: NSObject, OPTLYDatafileManager {
    /// Completes at once, with nothing.
    open func downloadDatafile(
        _ datafileConfig: OPTLYDatafileConfig,
        completionHandler: (@Sendable (Data?, URLResponse?, (any Error)?) -> Void)?
    ) { completionHandler?(nil, nil, nil) }

    /// Does nothing.
    open func saveDatafile(_ datafile: Data) {}
    /// Nil.
    open func getSavedDatafile(_ error: NSErrorPointer) -> Data? { nil }
    /// False.
    open func isDatafileCached() -> Bool { false }
}
