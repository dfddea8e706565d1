#if Memcached
    import TurnoutClient
    import TurnoutEngine

    /// A profile as it is stored: JSON in the schema that the vendor's clients share, so that they can share it, too.
    struct StoredProfile {
        private static let userID = "user_id"
        private static let bucketMap = "experiment_bucket_map"
        private static let variationID = "variation_id"

        private var members: [String: JSONValue]

        /// The profile of a user who has none yet.
        init(of userID: String, with assignments: [String: String]) {
            members = [Self.userID: .string(userID)]
            add(assignments)
        }

        /// Reads the profile of a user.
        ///
        /// - Throws: ``MemcachedError`` if it is no profile, or not this user's.
        init(_ text: [UInt8], of userID: String) throws(MemcachedError) {
            let value: JSONValue
            do throws(JSONError) { value = try JSONValue(parsing: text) } catch {
                // Without the path, which may hold anything.
                throw MemcachedError(
                    .foreignValue,
                    "what is stored is no profile: \(error.message) (line \(error.line), column \(error.column))")
            }
            guard case .object(let members) = value, case .string(let owner)? = members[Self.userID] else {
                throw MemcachedError(.foreignValue, "what is stored is no profile: it does not say whose it is")
            }
            // By bytes, as keys are: Swift takes composed and decomposed letters for the same.
            guard owner.utf8.elementsEqual(userID.utf8) else {
                throw MemcachedError(.anotherUser, "what is stored is the profile of another user")
            }
            switch members[Self.bucketMap] {
            case .object, .null, nil: self.members = members
            default: throw MemcachedError(.foreignValue, "what is stored is no profile: it has no map of experiments")
            }
        }

        private var map: [String: JSONValue] {
            if case .object(let map)? = members[Self.bucketMap] { map } else { [:] }
        }

        /// What can be read of it: nobody else's entry makes those of Turnout unreadable.
        var profile: UserProfile {
            var profile = UserProfile()
            for (experiment, entry) in map {
                guard case .string(let variation)? = entry[Self.variationID] else { continue }
                profile.assignments[experiment] = variation
            }
            return profile
        }

        /// Adds assignments. Whatever else the profile holds stays.
        mutating func add(_ assignments: [String: String]) {
            var map = map
            for (experiment, variation) in assignments {
                var entry: [String: JSONValue] = [:]
                if case .object(let known)? = map[experiment] { entry = known }
                entry[Self.variationID] = .string(variation)
                map[experiment] = .object(entry)
            }
            members[Self.bucketMap] = .object(map)
        }

        var text: [UInt8] {
            var writer = JSONWriter()
            writer.value(.object(members))
            return writer.bytes
        }
    }
#endif
