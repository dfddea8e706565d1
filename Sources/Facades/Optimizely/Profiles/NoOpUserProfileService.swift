/// A user profile service that stores nothing: users may get another variation when traffic allocation changes.
///
/// Pass it to ``OptimizelyClient`` in place of the default service.
public final class NoOpUserProfileService: OPTUserProfileService {
    /// Creates the service.
    public required init() {}
    /// Returns nil.
    public func lookup(userId: String) -> UPProfile? { nil }
    /// Does nothing.
    public func save(userProfile: UPProfile) {}
}
