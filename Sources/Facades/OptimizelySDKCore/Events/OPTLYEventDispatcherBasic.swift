public import Foundation
import Optimizely
import TurnoutClient

// @unchecked Sendable because nothing in it changes.
/// Sends each event once, and keeps none: what does not arrive is lost.
open class OPTLYEventDispatcherBasic: NSObject, OPTLYEventDispatcher, @unchecked Sendable {
    private let transport = World.current.transport

    /// Sends that a user was given a variation.
    open func dispatchImpressionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        send(params, callback)
    }

    /// Sends that a user did something.
    open func dispatchConversionEvent(_ params: [AnyHashable: Any], callback: OPTLYEventDispatcherResponse?) {
        send(params, callback)
    }

    private func send(_ params: [AnyHashable: Any], _ callback: OPTLYEventDispatcherResponse?) {
        let callback = Handed(callback)
        guard let event = OutgoingEvent(parameters: params) else {
            callback.value?(nil, nil, OPTLYErrorTypes.eventDispatch.error("the event is no JSON object"))
            return
        }
        Task(executorPreference: DispatchExecutor.waitedFor) { [transport] in
            let outcome = await EventPost(event).outcome(over: transport)
            BlockingCall.start { callback.value?(outcome.data, outcome.response, outcome.error) }
        }
    }
}
