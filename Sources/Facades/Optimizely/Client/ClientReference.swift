import TurnoutClient

/// A user context's reference to its client, which it does not retain: once the client is released, decisions report
/// that the SDK is not ready.
///
/// Every decision counts the references to this object in its context, so a client has one reference per group of
/// threads, and a decision uses that of its thread.
final class ClientReference: Sendable {
    /// Keeps the reference count off the cache line of the properties, which other threads read.
    private let cacheLinePaddingOfCount: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0, 0, 0, 0, 0, 0, 0, 0
    )
    /// All references to the client. Empty once it has been released, because they would retain each other.
    private let references: Striped<ClientReference>
    private let heldRuntime: Unmanaged<DecisionRuntime>
    private let heldNotifications: Unmanaged<NotificationDispatcher>
    let log: any Log
    private let owner: Locked<Owner>
    /// Keeps the reference count of the next reference off this one's cache line.
    private let cacheLinePadding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0, 0, 0, 0, 0, 0, 0, 0
    )

    private struct Owner {
        weak var client: OptimizelyClient?
    }

    init(
        _ client: OptimizelyClient, _ references: Striped<ClientReference>, runtime: DecisionRuntime,
        notifications: NotificationDispatcher, log: any Log
    ) {
        self.references = references
        heldRuntime = .passRetained(runtime)
        heldNotifications = .passRetained(notifications)
        self.log = log
        owner = Locked(Owner(client: client))
    }

    deinit {
        heldRuntime.release()
        heldNotifications.release()
    }

    /// The reference for the calling thread.
    @inline(__always)
    var current: ClientReference { references.current ?? self }

    // All references share these two objects. They are retained manually, because the compiler counts references on
    // each use, and threads that count references of one object contend for its cache line.

    /// Calls `body` with the runtime, without reference counting.
    @inline(__always)
    func withRuntime<Result>(_ body: (DecisionRuntime) throws -> Result) rethrows -> Result {
        try heldRuntime._withUnsafeGuaranteedRef(body)
    }

    /// Calls `body` with the notification dispatcher, without reference counting.
    @inline(__always)
    func withNotifications(_ body: (NotificationDispatcher) -> Void) {
        heldNotifications._withUnsafeGuaranteedRef(body)
    }

    /// The runtime, for asynchronous calls, where reference counting does not matter.
    var runtime: DecisionRuntime { heldRuntime.takeUnretainedValue() }

    /// The client, or nil if it has been released.
    var client: OptimizelyClient? { owner.withLock { $0.client } }
}
