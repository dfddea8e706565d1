/// What a user was assigned before: variation ids by experiment id.
///
/// A remembered assignment is kept as long as its variation exists, whatever happens to audiences and traffic.
public struct UserProfile: Sendable, Equatable {
    /// The variation ids by experiment id.
    public var assignments: [String: String]
    /// Whether nobody could tell what the user was assigned.
    package private(set) var isUnavailable = false

    /// Stands for a profile that could not be looked up: the decision says so, and what it assigns is not remembered,
    /// as it might differ from what was.
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
    /// A map in which anything is not of that shape is treated as empty, as the reference does, because a later write
    /// would replace it.
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
