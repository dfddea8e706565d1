#if Curl && os(Linux)
    import Dispatch
    import TurnoutClient

    /// The thread that all requests share. It waits when there is nothing to do, and lives as long as the process, as
    /// the connections do.
    final class Worker: Sendable {
        private struct State {
            var new: [Exchange] = []
            var isRunning = false
            var waker: Transfers.Waker?
        }

        static let shared = Worker()

        private let state = Locked(State())
        // A queue of its own keeps one thread, and gets it as soon as the system has one.
        private static let thread = DispatchQueue(label: "turnout.curl")

        private init() {}

        /// Sends a request.
        func add(_ exchange: Exchange) {
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
            let transfers = Result { () throws(TransportError) in try Transfers() }
            while true {
                let new = state.withLock { state in
                    defer { state.new = [] }
                    switch transfers {
                    case .success(let transfers): state.waker = transfers.waker
                    // The next request tries again.
                    case .failure: state.isRunning = false
                    }
                    return state.new
                }
                switch transfers {
                case .success(let transfers):
                    for exchange in new { transfers.start(exchange) }
                    transfers.work()
                case .failure(let error):
                    for exchange in new { exchange.end(.failure(error)) }
                    return
                }
            }
        }
    }
#endif
