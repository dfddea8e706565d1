public import Foundation
import Optimizely
import TurnoutClient

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
