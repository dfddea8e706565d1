/// A user's earlier assignments: variation ids by experiment id.
///
/// An assignment is kept as long as its variation exists, even if audiences and traffic change.
public struct UserProfile: Sendable, Equatable {
    /// The variation ids by experiment id.
    public var assignments: [String: String]
    /// Whether the profile could not be loaded.
    package private(set) var isUnavailable = false

    /// Represents a profile that could not be loaded: the decision reports it, and its assignment is not stored, since
    /// it might differ from an earlier one.
    package static let unavailable: UserProfile = {
        var profile = UserProfile()
        profile.isUnavailable = true
        return profile
    }()

    /// Creates a profile.
    public init(_ assignments: [String: String] = [:]) { self.assignments = assignments }

    /// Reads a profile in the schema that the vendor's clients share:
    /// `{"user_id": "…", "experiment_bucket_map": {"<experiment id>": {"variation_id": "<variation id>"}}}`.
    ///
    /// A map with any malformed entry is treated as empty, as in the reference, because a later write would replace it.
    public init(_ value: JSONValue) {
        assignments = [:]
        guard case .object(let map)? = value["experiment_bucket_map"] else { return }
        var assignments: [String: String] = [:]
        for (experimentID, entry) in map {
            guard case .object(let members) = entry else { return }
            for case let (key, .string(text)) in members where key == "variation_id" {
                assignments[experimentID] = text
            }
            guard members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else { return }
        }
        self.assignments = assignments
    }
}
