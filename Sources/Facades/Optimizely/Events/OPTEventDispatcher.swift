public import Foundation

/// Receives the result for an event: its body, or an error.
public typealias DispatchCompletionHandler = (OptimizelyResult<Data>) -> Void

/// A service that delivers events to the event receiver.
///
/// The client passes each event to ``dispatchEvent(event:completionHandler:)`` once and does not retry: an
/// implementation is responsible for storing and retrying. That call is made off the thread that decided, one after the
/// other for a client, on the thread that also calls its listeners. It should only store the event: if it blocks,
/// further events wait, and are lost and counted when too many do. Clients with one SDK key share a dispatcher, so it
/// must be thread-safe. ``flushEvents()`` and ``close()`` are called from any thread.
///
/// The standard dispatcher, ``DefaultEventDispatcher``, receives events on the thread that decided; a subclass of it is
/// called like any other dispatcher.
public protocol OPTEventDispatcher {
    /// Accepts an event for delivery.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - completionHandler: To be called with whether the event was accepted, which need not mean that it has been
    ///     delivered. Nil if the caller does not need to know; a client passes nil.
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
