public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Is told what became of an event: the receiver's answer, or an error.
public typealias OPTLYEventDispatcherResponse = (Data?, URLResponse?, (any Error)?) -> Void

/// Sees to it that events reach the project's owner. Called on the thread that decided or tracked.
public protocol OPTLYEventDispatcher: AnyObject {
    /// Sends that a user was given a variation.
    ///
    /// - Parameters:
    ///   - params: The payload, a JSON object.
    ///   - callback: Told what became of it; a client passes nil.
    func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?)

    /// Sends that a user did something; see ``dispatchImpressionEvent(_:callback:)``.
    func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?)
}

extension OPTLYEventDispatcher {
    /// Sends that a user was given a variation.
    public func dispatchImpressionEvent(_ params: [AnyHashable: Any]) { dispatchImpressionEvent(params, callback: nil) }
    /// Sends that a user did something.
    public func dispatchConversionEvent(_ params: [AnyHashable: Any]) { dispatchConversionEvent(params, callback: nil) }
}

/// Sends nothing, and calls nobody back.
open class OPTLYEventDispatcherNoOp: NSObject, OPTLYEventDispatcher {
    /// Does nothing.
    open func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {}
    /// Does nothing.
    open func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {}
}
