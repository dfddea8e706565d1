/// A user whose attributes, segments and forced decisions change while the program runs, such as the user of an app.
///
/// ```swift
/// let session = UserSession(client.user("ada", attributes: ["country": "US"]))
/// Task {
///     for await checkout in session.decisions(of: "checkout") { show(checkout) }
/// }
/// session.user.attributes["plan"] = "gold"
/// ```
///
/// Can be used from any number of threads. Of two changes at the same time, the later one wins.
public final class UserSession: Sendable {
    /// The client.
    public let client: FlagClient
    private let current: Locked<User>
    private let changes = ChangeSignal()

    /// Creates a session with its first user.
    public init(_ user: UserContext) {
        client = user.client
        current = Locked(user.user)
    }

    deinit { changes.finish() }

    /// The current user. Set it, or a part of it, to change the decisions. If you set a context of
    /// another client, only its user is used.
    public var user: UserContext {
        get { UserContext(client: client, user: current.withLock { $0 }) }
        set {
            current.withLock { $0 = newValue.user }
            changes.send()
        }
    }

    /// The decisions of a flag as they change with the user and the datafile; otherwise like
    /// ``UserContext/decisions(of:within:options:)``. A change of the user's id always yields a decision, even an equal
    /// one.
    ///
    /// - Returns: A sequence that ends when its task is canceled, the client is closed, or the session is deallocated.
    public func decisions(
        of flagKey: String, within limit: Duration = .seconds(1), options: DecideOptions = []
    ) -> DecisionUpdates {
        client.decisions(of: flagKey, within: limit, options, signals: [client.decisionSignal, changes]) {
            [weak self] in self?.current.withLock { $0 }
        }
    }

    /// Fetches the segments of the user. On failure, and if the user was replaced meanwhile, they are unchanged.
    ///
    /// - Throws: ``SegmentError``.
    public func fetchSegments(options: FetchSegmentsOptions = []) async throws(SegmentError) {
        let id = user.id
        let segments = try await client.segments(of: id, options: options)
        let isCurrent = current.withLock { user in
            guard ByteKey(user.id) == ByteKey(id) else { return false }
            user.segments = segments
            return true
        }
        if isCurrent { changes.send() }
    }
}
