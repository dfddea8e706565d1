public import Foundation
import Optimizely
import TurnoutClient

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Receives the result for an event: the receiver's response, or an error.
public typealias OPTLYEventDispatcherResponse = (Data?, URLResponse?, (any Error)?) -> Void

/// A service that delivers events to the event receiver.
///
/// A client calls it on the thread that decided or tracked, once for each event, several times at once. It does not
/// retry, so a service stores events that it cannot deliver. A call should return at once: the program waits for it.
/// Failures are passed to the callback, if there is one.
///
/// ``OPTLYEventDispatcherDefault`` stores events in a file, and ``OPTLYEventDispatcherBasic`` sends each once.
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

// @unchecked Sendable because nothing in it changes.
/// Sends each event once without storing it: an event that cannot be delivered is lost.
open class OPTLYEventDispatcherBasic: NSObject, OPTLYEventDispatcher, @unchecked Sendable {
    private let transport = HostEnvironment.current.transport

    /// Sends an impression.
    open func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        send(params, callback)
    }

    /// Sends a conversion.
    open func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        send(params, callback)
    }

    private func send(_ params: [AnyHashable: Any], _ callback: OPTLYEventDispatcherResponse?) {
        let callback = UncheckedSendable(callback)
        guard let event = OutgoingEvent(parameters: params) else {
            callback.value?(nil, nil, OutgoingEvent.notJSON)
            return
        }
        Task(executorPreference: DispatchExecutor.blockingCallers) { [transport] in
            let outcome = await EventPost(event).outcome(over: transport)
            BlockingCall.start { callback.value?(outcome.data, outcome.response, outcome.error) }
        }
    }
}
