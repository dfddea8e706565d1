import TurnoutEngine

/// The assignments in a file, by user id.
///
/// The file is an object of profiles by user id, in the schema that the vendor's clients share.
struct ProfilesFile: Sendable {
    private let profiles: [String: UserProfile]

    /// No profiles at all.
    static let none = ProfilesFile(profiles: [:])

    private init(profiles: [String: UserProfile]) { self.profiles = profiles }

    init(_ name: String) throws(CommandError) {
        let bytes = try InputFile(name).readAll()
        let example = #"Expected {"ada": {"user_id": "ada", "experiment_bucket_map": {"1": {"variation_id": "2"}}}}."#
        let document: JSONValue
        do throws(JSONError) { document = try JSONValue(parsing: bytes) } catch {
            throw CommandError(error, in: name, advice: example)
        }
        guard case .object(let members) = document else {
            throw CommandError("\(name): expected an object of profiles by user id", advice: example)
        }
        profiles = members.mapValues { UserProfile($0) }
    }

    /// The stored assignments of a user.
    subscript(userID: String) -> UserProfile {
        // Without profiles no id is hashed.
        profiles.isEmpty ? UserProfile() : profiles[userID] ?? UserProfile()
    }
}
