#if Redis
    import TurnoutEngine

    /// What Optimizely's Agent keeps under a user's id.
    ///
    /// Assumed of Agent's Redis service for user profiles (Agent 4, `plugins/userprofileservice`): it stores what Go's
    /// `json.Marshal` makes of a map of experiment ids to variation ids, `{"10420810910":"10418551353"}`, with keys in
    /// the order of their bytes and no blanks, and reads the same back into such a map. This is what is written here,
    /// byte for byte, but for `<`, `>` and `&`, which Go writes as escapes and which no id contains.
    ///
    /// Read are also objects in place of variation ids, `{"10420810910":{"variation_id":"10418551353"}}`, and whole
    /// profiles as user profile services have them, `{"user_id":"…","experiment_bucket_map":{…}}`. With the next
    /// assignment they become what Agent reads. Members that are none of this stay as they are.
    struct AgentValue {
        /// Variation ids by experiment id.
        var assignments: [String: String] = [:]
        private var others: [String: JSONValue] = [:]

        /// What is neither is left alone, for whoever wrote it.
        static let foreign = RedisError(.foreignValue, "what is stored for a user is not a JSON object of assignments")

        /// Of a user of whom nothing is known.
        init() {}

        /// Reads a value. Its members may be anything, but it must be a JSON object.
        init(_ text: String) throws(RedisError) {
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
