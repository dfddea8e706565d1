/// Takes over segment events, and delivers them to the service that the datafile names.
///
/// Whatever waits is tried at each occasion: a new event, a new datafile, ``flush()``, the end.
package final class SegmentEventQueue: Sendable {
    private let store: SegmentEventStore
    private let sender: SegmentEventSender
    private let state: Locked<(outlet: SegmentEventOutlet, lost: Int, isDelivering: Bool)>

    /// Creates an empty queue. Without a transport in the outlet events only wait.
    package init(_ outlet: SegmentEventOutlet) {
        state = Locked((outlet: outlet, lost: 0, isDelivering: false))
        store = SegmentEventStore(limit: outlet.options.waitingEvents)
        sender = SegmentEventSender(store: store)
    }

    /// What events are delivered with. Changing it does not change how many events may wait.
    package var outlet: SegmentEventOutlet {
        get { state.withLock { $0.outlet } }
        set { state.withLock { $0.outlet = newValue } }
    }

    /// How many events wait.
    package var count: Int { store.count }
    /// How many events were given up: there was no room for them, or the service does not want them.
    package var lostCount: Int { state.withLock { $0.lost } }

    /// Takes over an event. Quick, and never fails: what cannot be kept is counted.
    package func accept(_ event: SegmentEvent) {
        switch store.append(event) {
        case .kept: break
        case .unwanted:
            outlet.log(.debug, "segment event \(event.action) dropped, the datafile names no service for it")
            return
        case .full:
            let lost = lose(1)
            // Each power of two: an outage of hours must not fill the log.
            if lost & (lost - 1) == 0 { outlet.log(.error, "segment events: no room, \(lost) lost so far") }
        }
        startDelivery()
    }

    /// Delivers in the background. One task does it for all: in an outage each further event would start one.
    private func startDelivery() {
        let starts = state.withLock { state in
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard starts else { return }
        Task(executorPreference: DispatchExecutor.waitedFor) { [self] in
            let before = count
            await flush()
            state.withLock { $0.isDelivering = false }
            // What came after the last look found somebody at work. Without any change it waits for the next occasion.
            let rest = count
            if outlet.transport != nil, rest > 0, rest != before { startDelivery() }
        }
    }

    /// Says where events go from now on. Those from before still go where they belong.
    package func update(to destination: SegmentEventDestination) {
        store.update(to: destination)
        startDelivery()
    }

    /// Delivers what waits, as far as possible.
    package func flush() async { lose(await sender.deliver(through: outlet)) }

    /// Delivers what waits, at most for some time.
    ///
    /// What is late is not called back, but goes on by itself as long as the process lives.
    package func close(within limit: Duration) async {
        let outlet = outlet
        guard count > 0, outlet.transport != nil else { return }
        let done: Void? = await value(within: limit, on: outlet.clock, executor: DispatchExecutor.waitedFor) {
            await self.flush()
        }
        let rest = count
        if done == nil || rest > 0 { outlet.log(.warning, "closed with \(rest) segment events undelivered") }
    }

    @discardableResult
    private func lose(_ count: Int) -> Int {
        state.withLock { state in
            state.lost += count
            return state.lost
        }
    }
}
