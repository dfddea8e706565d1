#if os(Linux)
    import Dispatch

    extension Duration {
        /// Waits with a timer that is released when the task is canceled. That of `Task.sleep` stays until its
        /// deadline, in 0.7 kB of memory.
        func pauseOnTimer() async throws {
            let end = OneShot<Void>()
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now() + .nanoseconds(max(.zero, self).wholeNanoseconds))
            timer.setEventHandler { end.end(()) }
            timer.activate()
            await withTaskCancellationHandler {
                _ = await end.value()
            } onCancel: {
                end.end(())
            }
            timer.cancel()
            try Task.checkCancellation()
        }
    }
#endif
