import TurnoutClient

/// What a user context needs of its client. It does not keep the client: when that is gone, decisions are not ready.
///
/// A client has one for each group of users, because every decision counts the references to its link.
final class ClientLink: Sendable {
    private let heldCore: Unmanaged<Client>
    private let heldAnnouncer: Unmanaged<Announcer>
    let log: any Log
    /// Guards the contents of the contexts that have this link. Each decision makes a context, and a lock of its own
    /// would be the most expensive part of that.
    let lock = Locked(())
    private let owner: Locked<Owner>
    /// Keeps the reference count of the next link off this one's cache line.
    private let distance: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0, 0, 0)

    private struct Owner {
        weak var client: OptimizelyClient?
    }

    init(_ client: OptimizelyClient, core: Client, announcer: Announcer, log: any Log) {
        heldCore = .passRetained(core)
        heldAnnouncer = .passRetained(announcer)
        self.log = log
        owner = Locked(Owner(client: client))
    }

    deinit {
        heldCore.release()
        heldAnnouncer.release()
    }

    // These two are one object for all links. Held by hand, because the compiler counts a reference with each use, and
    // two threads that count on one object wait for each other's cache line.

    /// Decides.
    @inline(__always)
    func withCore<Result>(_ body: (Client) throws -> Result) rethrows -> Result {
        try heldCore._withUnsafeGuaranteedRef(body)
    }

    /// Announces.
    @inline(__always)
    func withAnnouncer(_ body: (Announcer) -> Void) { heldAnnouncer._withUnsafeGuaranteedRef(body) }

    /// Decides, where waiting takes longer than counting.
    var core: Client { heldCore.takeUnretainedValue() }

    /// The client, or nil: it is gone.
    var client: OptimizelyClient? { owner.withLock { $0.client } }
}
