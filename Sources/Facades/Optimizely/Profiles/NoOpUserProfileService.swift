/// Remembers nothing: users may change variations when traffic changes.
///
/// Pass it to ``OptimizelyClient`` in place of the default service.
public final class NoOpUserProfileService: OPTUserProfileService {
    /// Creates the service.
    public required init() {}
    /// Nil: nothing is known of anybody.
    public func lookup(userId: String) -> UPProfile? { nil }
    /// Does nothing.
    public func save(userProfile: UPProfile) {}
}
