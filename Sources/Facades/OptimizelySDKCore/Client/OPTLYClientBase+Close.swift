import Optimizely
import TurnoutClient

extension OPTLYClientBase {
    /// Delivers queued events, and writes assignments to their store.
    ///
    /// Blocks for at most ten seconds. What is unfinished by then is logged; events stay in their file, and are sent at
    /// the next start. The client can still decide afterwards. An event dispatcher of your own is not closed, unless it
    /// is a subclass of ``OPTLYEventDispatcherDefault``.
    public func close() { close(within: .seconds(10)) }

    /// Does what ``close()`` does, within the given limit.
    package func close(within limit: Duration) {
        let dispatcher = parts.eventDispatcher as? OPTLYEventDispatcherDefault
        let done = OneShot<Void>()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [runtime] in
            _ = await runtime.waitForUnfinishedCalls(within: limit / 2)
            async let events: Void? = dispatcher?.flush(within: limit)
            await runtime.profiles?.flush(within: limit)
            await events
            done.end(())
        }
        if done.value(within: limit) == nil {
            parts.log(.warning, "close: the events and assignments are not written yet; that continues")
        }
        let count = dispatcher?.status.waiting ?? 0
        if count > 0 {
            parts.log(.warning, "closed while \(count.counted("event")) could not be delivered yet; they stay queued")
        }
    }
}
