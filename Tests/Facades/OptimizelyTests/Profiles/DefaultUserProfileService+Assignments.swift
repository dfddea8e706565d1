extension DefaultUserProfileService {
    /// The stored variation ids of a user by experiment id; empty if there are none.
    func assignments(of userID: String) -> [String: String] { (try? store.profile(of: userID).assignments) ?? [:] }

    /// Adds assignments to those of a user.
    func merge(_ assignments: [String: String], for userID: String) { try? store.save(assignments, for: userID) }
}
