#if Redis
    import TurnoutClient
    import TurnoutEngine

    /// The value that Optimizely's Agent stores under a user's id.
    ///
    /// Assumption about Agent's Redis service for user profiles (Agent 4, `plugins/userprofileservice`): it stores the
    /// output of Go's `json.Marshal` for a map of experiment ids to variation ids, `{"10420810910":"10418551353"}`,
    /// with keys in byte order and no whitespace, and reads it back into such a map. The same bytes are written here,
    /// except for `<`, `>` and `&`, which Go escapes and which no id contains.
    ///
    /// Objects in place of variation ids, `{"10420810910":{"variation_id":"10418551353"}}`, and whole profiles as in
    /// user profile services, `{"user_id":"…","experiment_bucket_map":{…}}`, can be read as well. The next assignment
    /// converts them to Agent's form. Other members are preserved.
    struct AgentValue {
        /// Variation ids by experiment id.
        var assignments: [String: String] = [:]
        private var others: [String: JSONValue] = [:]

        /// A value in another format belongs to another program and is not changed.
        static let foreign = ProfileServerError(
            .foreignValue, "a user's stored value is not a JSON object of assignments")

        /// Creates the value of an unknown user.
        init() {}

        /// Reads a value. Its members may be anything, but it must be a JSON object.
        init(_ text: String) throws(ProfileServerError) {
            guard case .object(var members)? = try? JSONValue(parsing: text) else { throw Self.foreign }
            if case .object(let map)? = members["experiment_bucket_map"] {
                members["experiment_bucket_map"] = nil
                members["user_id"] = nil
                add(map)
            }
            add(members)
        }

        private mutating func add(_ members: [String: JSONValue]) {
            for (key, member) in members {
                switch (member, member["variation_id"]) {
                case (.string(let variation), _), (_, .string(let variation)?): assignments[key] = variation
                default: others[key] = member
                }
            }
        }

        /// The value as it is stored.
        var text: String {
            var members = others
            for (experiment, variation) in assignments { members[experiment] = .string(variation) }
            var writer = JSONWriter()
            writer.beginObject()
            for (key, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                writer.key(key)
                writer.value(member)
            }
            writer.endObject()
            return writer.text
        }
    }
#endif
