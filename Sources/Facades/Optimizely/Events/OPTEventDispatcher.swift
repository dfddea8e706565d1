public import Foundation

/// Receives the result for an event: its body, or an error.
public typealias DispatchCompletionHandler = (OptimizelyResult<Data>) -> Void

/// A service that delivers events to the event receiver.
///
/// The client calls it from any thread; implementations must be thread-safe. The client passes each event to
/// ``dispatchEvent(event:completionHandler:)`` once and does not retry: an implementation is responsible for storing
/// and retrying.
public protocol OPTEventDispatcher {
    /// Accepts an event for delivery.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - completionHandler: To be called with whether the event was accepted, which need not mean that it has been
    ///     delivered. Nil if the caller does not need to know.
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?)

    /// Starts delivery of queued events and returns immediately.
    func flushEvents()

    /// Delivers queued events and waits for that, within limits. The default implementation does nothing.
    func close()
}

extension OPTEventDispatcher {
    /// Does nothing.
    public func close() {}
}
