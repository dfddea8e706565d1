#if Curl && os(Linux)
    import Dispatch
    import TurnoutClient

    #if canImport(Musl)
        import Musl
    #elseif canImport(Glibc)
        import Glibc
    #endif

    /// The thread that all requests share. It waits when there is nothing to do, and lives as long as the process, as
    /// the connections do.
    final class Worker: Sendable {
        private struct State {
            var new: [Exchange] = []
            var isRunning = false
            var waker: Transfers.Waker?
            var isEnding = false
        }

        static let shared = Worker()

        private let state = Locked(State())
        /// Told when the thread stands still, because the process ends.
        private let standstill = DispatchSemaphore(value: 0)
        // A queue of its own keeps one thread, and gets it as soon as the system has one.
        private static let thread = DispatchQueue(label: "turnout.curl")
        // Libraries are cleaned up when the process ends, and what their users then do is undefined.
        private static let standsStillAtTheEnd: Void = { _ = atexit { Worker.shared.standStill() } }()

        private init() {}

        /// Sends a request.
        func add(_ exchange: Exchange) {
            Self.standsStillAtTheEnd
            let isRunning = state.withLock { state in
                state.new.append(exchange)
                defer { state.isRunning = true }
                return state.isRunning
            }
            if isRunning { wake() } else { Self.thread.async { self.run() } }
        }

        /// Has the thread look whether somebody came or gave up.
        func wake() { state.withLock { $0.waker }?.wake() }

        private func run() {
            guard !state.withLock({ $0.isEnding }) else { return standForEver(nil) }
            do {
                let transfers = try Transfers()
                while let new = take(for: transfers) {
                    for exchange in new { transfers.start(exchange) }
                    transfers.work()
                }
                standForEver(transfers)
            } catch {
                // The next request tries again.
                let new = state.withLock { state in
                    defer { (state.new, state.isRunning) = ([], false) }
                    return state.new
                }
                for exchange in new { exchange.end(.failure(error)) }
            }
        }

        /// The requests that came; nil: the process ends.
        private func take(for transfers: Transfers) -> [Exchange]? {
            state.withLock { state in
                defer { state.new = [] }
                state.waker = transfers.waker
                return state.isEnding ? nil : state.new
            }
        }

        // MARK: The end of the process

        /// Waits until the thread stands still, at most for a second.
        private func standStill() {
            let (isRunning, waker) = state.withLock { state in
                state.isEnding = true
                return (state.isRunning, state.waker)
            }
            guard isRunning else { return }
            waker?.wake()
            _ = standstill.wait(timeout: .now() + 1)
        }

        /// Does nothing more, not even free what is under way.
        private func standForEver(_ transfers: Transfers?) {
            standstill.signal()
            withExtendedLifetime(transfers) { DispatchSemaphore(value: 0).wait() }
        }
    }
#endif
