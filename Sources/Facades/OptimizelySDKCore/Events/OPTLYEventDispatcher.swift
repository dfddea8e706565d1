public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Receives the result for an event: the receiver's response, or an error.
public typealias OPTLYEventDispatcherResponse = (Data?, URLResponse?, (any Error)?) -> Void

/// A service that delivers events to the event receiver. A client calls it on the thread that decided or tracked.
public protocol OPTLYEventDispatcher: AnyObject {
    /// Sends an impression.
    ///
    /// - Parameters:
    ///   - params: The payload, a JSON object.
    ///   - callback: Receives the result; a client passes nil.
    func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?)

    /// Sends a conversion; see ``dispatchImpressionEvent(_:callback:)``.
    func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?)
}

extension OPTLYEventDispatcher {
    /// Sends an impression.
    public func dispatchImpressionEvent(_ params: [AnyHashable: Any]) { dispatchImpressionEvent(params, callback: nil) }
    /// Sends a conversion.
    public func dispatchConversionEvent(_ params: [AnyHashable: Any]) { dispatchConversionEvent(params, callback: nil) }
}

/// Discards events; never calls a callback.
open class OPTLYEventDispatcherNoOp: NSObject, OPTLYEventDispatcher {
    /// Does nothing.
    open func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {}
    /// Does nothing.
    open func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {}
}
