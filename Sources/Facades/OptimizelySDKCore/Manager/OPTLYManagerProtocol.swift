public import Foundation

/// Makes clients.
public protocol OPTLYManagerProtocol: AnyObject {
    /// Makes a client with the datafile that is at hand.
    @discardableResult
    func initialize() -> OPTLYClient?
    /// Makes a client with this datafile.
    @discardableResult
    func initialize(withDatafile datafile: Data) -> OPTLYClient?
    /// Makes a client with the newest datafile.
    func initialize(callback: (((any Error)?, OPTLYClient?) -> Void)?)
    /// The client that was made last, or a dummy.
    @discardableResult
    func getOptimizely() -> OPTLYClient?
}
