import TurnoutClient

/// A user context's reference to its client, which it does not retain: once the client is released, decisions report
/// that the SDK is not ready.
///
/// A client has one link per stripe of users, because every decision counts the references to its link.
final class ClientReference: Sendable {
    private let heldRuntime: Unmanaged<DecisionRuntime>
    private let heldAnnouncer: Unmanaged<NotificationDispatcher>
    let log: any Log
    /// Guards the contents of the contexts with this link. Each decision creates a context, and a lock for each would
    /// be the most expensive part of that.
    let lock = Locked(())
    private let owner: Locked<Owner>
    /// Keeps the reference count of the next link off this one's cache line.
    private let cacheLinePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0, 0, 0, 0, 0, 0, 0, 0
    )

    private struct Owner {
        weak var client: OptimizelyClient?
    }

    init(_ client: OptimizelyClient, runtime: DecisionRuntime, announcer: NotificationDispatcher, log: any Log) {
        heldRuntime = .passRetained(runtime)
        heldAnnouncer = .passRetained(announcer)
        self.log = log
        owner = Locked(Owner(client: client))
    }

    deinit {
        heldRuntime.release()
        heldAnnouncer.release()
    }

    // All links share these two objects. They are retained manually, because the compiler counts references on each
    // use, and threads that count references of one object contend for its cache line.

    /// Calls `body` with the runtime, without reference counting.
    @inline(__always)
    func withRuntime<Result>(_ body: (DecisionRuntime) throws -> Result) rethrows -> Result {
        try heldRuntime._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the announcer, without reference counting.
    @inline(__always)
    func withAnnouncer(_ body: (NotificationDispatcher) -> Void) { heldAnnouncer._withUnsafeGuaranteedRef(body) }

    /// The runtime, for asynchronous calls, where reference counting does not matter.
    var runtime: DecisionRuntime { heldRuntime.takeUnretainedValue() }

    /// The client, or nil if it has been released.
    var client: OptimizelyClient? { owner.withLock { $0.client } }
}
