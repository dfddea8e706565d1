public import Foundation

/// Creates clients.
public protocol OPTLYManagerProtocol: AnyObject {
    /// Creates a client with the cached or bundled datafile.
    @discardableResult
    func initialize() -> OPTLYClient?
    /// Creates a client with the given datafile.
    @discardableResult
    func initialize(withDatafile datafile: Data) -> OPTLYClient?
    /// Downloads the current datafile and creates a client with it.
    func initialize(callback: (((any Error)?, OPTLYClient?) -> Void)?)
    /// The most recently created client, or a dummy client.
    @discardableResult
    func getOptimizely() -> OPTLYClient?
}
