/// How a program uses a profile store over a network: how long it uses a profile, how long it waits for one, and how
/// many assignments may wait for the store.
///
/// ```swift
/// configuration.profiles = store.applying(ProfilePolicy(deadline: .milliseconds(20)))
/// ```
///
/// ```text
/// lookup     cache ──► deadline ──► buffer ──► store
/// addition   cache ──► buffer ──► store
/// ```
///
/// Stores in memory and in files of this machine need no policy.
public struct ProfilePolicy: Sendable {
    /// How long a profile is used, counted from the end of its lookup. Additions of other programs are visible after
    /// that time. With zero, each decision looks its user up. Default: 5 seconds.
    public var age: Duration
    /// The approximate number of profiles in memory, including those of users with no stored assignment. At the limit,
    /// the least recently used ones are evicted. Default: 20,000, about 6 MB with one experiment each.
    public var cachedUsers: Int
    /// The longest time to wait for a lookup, measured by the system's clock. nil: as long as the store takes.
    ///
    /// A lookup that exceeds it has failed: the decision falls back to bucketing and reports this in its reasons
    /// (``Reason/profileUnavailable``). Additions have no deadline. Default: nil.
    public var deadline: Duration?
    /// The maximum number of assignments that wait for the store in memory; further ones are lost. Choose it for the
    /// longest outage plus 30 seconds. With zero, each addition is stored before the decision returns. Default:
    /// 100,000, about 30 MB.
    ///
    /// Waiting assignments are merged by user and are part of every lookup. They are written with up to eight calls at
    /// the same time, each for another user. A failure is followed by a pause of 0.2 to 30 seconds, longer each time,
    /// with 25 % jitter. Assignments wait until the store has them, or refuses those of one user for good; they are
    /// lost with the process, so close the client before it ends (``FlagClient/close(within:)``). Closing and flushing
    /// make three attempts in a row. A process that ends normally without closing writes them for a second at most.
    public var bufferedAssignments: Int

    /// Creates a policy.
    public init(
        age: Duration = .seconds(5), cachedUsers: Int = 20_000, deadline: Duration? = nil,
        bufferedAssignments: Int = 100_000
    ) {
        self.age = age
        self.cachedUsers = cachedUsers
        self.deadline = deadline
        self.bufferedAssignments = bufferedAssignments
    }
}

extension ProfileStore {
    /// Returns this store under a policy.
    ///
    /// - Parameters:
    ///   - policy: How the store is used. Default: profiles are used for 5 seconds, and assignments are stored in the
    ///     background.
    ///   - clock: Measures the age of profiles and the pauses between attempts to write. Default: the system's clock.
    ///   - log: Receives failures in the background, without user ids. Default: standard error.
    /// - Returns: The store under the policy.
    public func applying(
        _ policy: ProfilePolicy = ProfilePolicy(), clock: any Clock<Duration> = .continuous,
        log: any Log = .standardError
    ) -> NetworkProfileStore {
        NetworkProfileStore(self, policy, clock: clock, log: log)
    }
}
