/// A profile store with asynchronous calls, which suspend instead of blocking a thread.
///
/// Asynchronous decisions await these calls, instead of blocking a dedicated thread with each. They return or throw in
/// bounded time, by the store's own limits.
package protocol AwaitableProfileStore: ProfileStore {
    /// The user's earlier assignments, like ``ProfileStore/profile(of:)``.
    ///
    /// - Throws: The store's error.
    func awaitProfile(of userID: String) async throws -> UserProfile

    /// Adds assignments of a user, like ``ProfileStore/save(_:for:)``.
    ///
    /// - Throws: The store's error.
    func awaitSave(_ assignments: [String: String], for userID: String) async throws
}
