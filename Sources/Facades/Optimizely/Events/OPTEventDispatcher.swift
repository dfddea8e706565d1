public import Foundation

/// Takes the outcome for an event: its body, or what went wrong.
public typealias DispatchCompletionHandler = (OptimizelyResult<Data>) -> Void

/// Sees to it that events reach the project's owner. Called from any thread.
public protocol OPTEventDispatcher {
    /// Takes over an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - completionHandler: Told whether the event was taken over, which need not mean that it has arrived.
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?)

    /// Sends what waits, without waiting for it.
    func flushEvents()

    /// Sends what waits, and waits for it, within limits. By default this does nothing.
    func close()
}

extension OPTEventDispatcher {
    /// Does nothing.
    public func close() {}
}
