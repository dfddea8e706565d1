#if Server
    import Synchronization
    import TurnoutClient
    import TurnoutServer

    /// The state that all connections of a listener share.
    final class ListenerService: Sendable {
        /// Answers requests.
        let handler: any RequestHandler
        let limits: ListenerLimits
        /// The content that responses share.
        let bodies = SharedBodies()
        private let numbers = Locked(ListenerCounts())
        private let bodySize = Atomic<Int>(0)
        private let draining = Atomic<Bool>(false)
        /// Milliseconds since the start, as of the last ``advance()``: reading the clock for each request would cost
        /// more than such precision is worth.
        private let time = Atomic<Int64>(0)
        private let start = ContinuousClock.now

        init(_ handler: any RequestHandler, _ limits: ListenerLimits) {
            self.handler = handler
            self.limits = limits
        }

        // MARK: Counts

        /// The counts, without the number of open connections.
        var counts: ListenerCounts { numbers.withLock { $0 } }

        /// Counts an event.
        func count(_ number: any WritableKeyPath<ListenerCounts, Int> & Sendable, by count: Int = 1) {
            numbers.withLock { $0[keyPath: number] += count }
        }

        // MARK: Bodies that are being received

        /// Reserves memory for a part of a body. Returns false if too much is reserved.
        func reserveBody(_ count: Int) -> Bool {
            let sum = bodySize.wrappingAdd(count, ordering: .relaxed).newValue
            if sum > limits.bodyMemory { bodySize.wrappingSubtract(count, ordering: .relaxed) }
            return sum <= limits.bodyMemory
        }

        /// The body was handed over, or the connection has ended.
        func releaseBody(_ count: Int) { bodySize.wrappingSubtract(count, ordering: .relaxed) }

        // MARK: Time

        /// Reads the clock. Returns milliseconds.
        @discardableResult
        func advance() -> Int64 {
            let elapsed = (ContinuousClock.now - start).components
            let milliseconds = elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
            time.store(milliseconds, ordering: .relaxed)
            return milliseconds
        }

        /// The time after a duration, in milliseconds.
        func deadline(in duration: Duration) -> Int64 {
            let (seconds, attoseconds) = duration.components
            return time.load(ordering: .relaxed) + seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        }

        // MARK: The end

        /// Whether the listener stops.
        var isDraining: Bool { draining.load(ordering: .relaxed) }

        /// Makes further responses close their connections. Returns false if it was called before.
        func startDraining() -> Bool { !draining.exchange(true, ordering: .relaxed) }
    }
#endif
