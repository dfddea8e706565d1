/// How a client uses a profile store: how long it waits, what it caches, when it writes, and which older store it
/// reads.
///
/// ```swift
/// configuration.profiles = store.applying(
///     ProfilePolicy(deadline: .milliseconds(20), cache: .init(lifetime: .seconds(60)), writeBehind: .init()))
/// ```
///
/// The parts always apply in one order, whatever the order in which they are set:
///
/// ```text
/// lookup     cache ──► write-behind buffer ──► deadline ──► store ──► fallback
/// addition   write-behind buffer ──► store        or, without a buffer:  deadline ──► store
/// ```
///
/// Default: none of them; each call goes to the store, on the caller's thread.
public struct ProfilePolicy: Sendable {
    /// Profiles in memory, in front of the store.
    public struct Cache: Sendable {
        /// The approximate number of cached users, including users with no stored assignment. At the limit, the least
        /// recently used entries are evicted. Default: 100,000, about 30 MB with one experiment each.
        public var users: Int
        /// How long an entry is used, counted from the end of its lookup. Additions of other processes are visible
        /// after that time. Default: one minute.
        public var lifetime: Duration

        /// Creates a cache.
        public init(users: Int = 100_000, lifetime: Duration = .seconds(60)) {
            self.users = users
            self.lifetime = lifetime
        }
    }

    /// A buffer of assignments that are written in the background.
    ///
    /// Assignments are merged by user and are part of every lookup. They are written with up to eight calls at the same
    /// time, each for another user; to a store in this process, with one. A failure is followed by a pause of 0.2 to 30
    /// seconds, longer each time, with 25 % jitter. Assignments stay in the buffer until the store has them, or refuses
    /// those of one user for good; they are lost with the process, so close the client before it ends
    /// (``FlagClient/close(within:)``). Closing and flushing make three attempts in a row. A process that ends normally
    /// without closing writes them for a second at most.
    public struct WriteBehind: Sendable {
        /// The maximum number of buffered assignments; further ones are lost. Choose it for the longest outage plus 30
        /// seconds. Default: 10,000, about 3 MB.
        public var limit: Int
        /// Called with the number of lost assignments, on any thread: on the deciding thread when the buffer is full,
        /// and for assignments still buffered when the store is deallocated. Not called at the end of the process.
        /// Default: nil.
        public var onLoss: (@Sendable (_ assignments: Int) -> Void)?

        /// Creates a buffer.
        public init(limit: Int = 10_000, onLoss: (@Sendable (_ assignments: Int) -> Void)? = nil) {
            self.limit = limit
            self.onLoss = onLoss
        }
    }

    /// An older store that is also read, to move users to a new store.
    ///
    /// Each lookup reads both stores and fails if either fails; the new store's assignment takes precedence. Nothing
    /// is added to the older store.
    public struct Fallback: Sendable {
        /// The older store.
        public var store: any ProfileStore
        /// Whether assignments that only the older store has are copied to the new one at the lookup. A copy never
        /// replaces an assignment of this program; one that another program adds at the same moment may be replaced.
        /// A failed copy does not fail the lookup; the next lookup retries. Default: true.
        public var copies: Bool

        /// Creates a fallback to an older store.
        public init(to store: any ProfileStore, copies: Bool = true) {
            self.store = store
            self.copies = copies
        }
    }

    /// The longest time to wait for one call of the store, measured by the system's clock. nil: no limit.
    ///
    /// A lookup that exceeds it has failed: the decision falls back to bucketing and reports this in its reasons
    /// (``Reason/profileUnavailable``). An addition that exceeds it continues in the background, and later ones of the
    /// same user follow it. A decision for a new user makes two calls, so it can wait twice as long, unless assignments
    /// are written behind. Default: nil.
    public var deadline: Duration?
    /// With a deadline, the maximum number of calls in progress. Further calls wait for their turn within the deadline;
    /// while all calls in progress are late, they fail immediately. Default: 16.
    public var concurrentCalls: Int
    /// The cache in front of the store. Default: nil, none.
    public var cache: Cache?
    /// The buffer for additions. Default: nil, each addition is stored before the decision returns.
    public var writeBehind: WriteBehind?
    /// The older store. Default: nil, none.
    public var fallback: Fallback?

    /// Creates a policy.
    public init(
        deadline: Duration? = nil, concurrentCalls: Int = 16, cache: Cache? = nil, writeBehind: WriteBehind? = nil,
        fallback: Fallback? = nil
    ) {
        self.deadline = deadline
        self.concurrentCalls = concurrentCalls
        self.cache = cache
        self.writeBehind = writeBehind
        self.fallback = fallback
    }
}

extension ProfileStore {
    /// Returns this store under a policy.
    ///
    /// - Parameters:
    ///   - policy: How the store is used.
    ///   - clock: Measures the lifetime of cache entries and the pauses between attempts to write. Default: the
    ///     system's clock.
    ///   - log: Receives failures in the background, without user ids. Default: standard error.
    /// - Returns: The store under the policy.
    public func applying(
        _ policy: ProfilePolicy, clock: any Clock<Duration> = .continuous, log: any Log = .standardError
    ) -> PolicyProfileStore {
        PolicyProfileStore(self, policy, clock: clock, log: log)
    }
}
