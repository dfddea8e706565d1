#if Curl && os(Linux)
    import Dispatch
    import LibC
    import TurnoutClient

    /// The thread that all requests share. It waits when idle, and lives as long as the process, like the connections.
    final class Worker: Sendable {
        private struct State {
            var new: [CurlExchange] = []
            var isRunning = false
            var waker: Transfers.Waker?
            var isEnding = false
        }

        /// One per process, because libcurl has to be stopped before libraries are cleaned up at exit: using them
        /// afterwards is undefined.
        static let shared: Worker = {
            _ = atexit { Worker.shared.stopAtExit() }
            return Worker()
        }()

        private let state = Locked(State())
        /// Signaled when the thread has stopped because the process ends.
        private let didStop = DispatchSemaphore(value: 0)
        // A serial queue keeps one thread, and gets it as soon as the system has one.
        private let thread = DispatchQueue(label: "turnout.curl")

        private init() {}

        func add(_ exchange: CurlExchange) {
            let isRunning = state.withLock { state in
                state.new.append(exchange)
                defer { state.isRunning = true }
                return state.isRunning
            }
            if isRunning { wake() } else { thread.async { self.run() } }
        }

        /// Wakes the thread to start new requests and remove canceled ones.
        func wake() { state.withLock { $0.waker }?.wake() }

        private func run() {
            guard !state.withLock({ $0.isEnding }) else { return parkUntilExit(nil) }
            do {
                let transfers = try Transfers()
                while let new = take(for: transfers) {
                    for exchange in new { transfers.start(exchange) }
                    transfers.work()
                }
                parkUntilExit(transfers)
            } catch {
                // The next request tries again.
                let new = state.withLock { state in
                    defer { (state.new, state.isRunning) = ([], false) }
                    return state.new
                }
                for exchange in new { exchange.end(.failure(error)) }
            }
        }

        /// The new requests, or nil if the process ends.
        private func take(for transfers: Transfers) -> [CurlExchange]? {
            state.withLock { state in
                defer { state.new = [] }
                state.waker = transfers.waker
                return state.isEnding ? nil : state.new
            }
        }

        // MARK: The end of the process

        /// Waits until the thread has stopped, at most for a second.
        private func stopAtExit() {
            let (isRunning, waker) = state.withLock { state in
                state.isEnding = true
                return (state.isRunning, state.waker)
            }
            guard isRunning else { return }
            waker?.wake()
            _ = didStop.wait(timeout: .now() + 1)
        }

        /// Stops the thread without freeing pending transfers.
        private func parkUntilExit(_ transfers: Transfers?) {
            didStop.signal()
            withExtendedLifetime(transfers) { DispatchSemaphore(value: 0).wait() }
        }
    }
#endif
