import TurnoutClient
import TurnoutEngine

/// A stored profile: JSON in the schema that the vendor's clients share, so they can use it as well.
struct StoredProfile {
    private static let userID = "user_id"
    private static let bucketMap = "experiment_bucket_map"
    private static let variationID = "variation_id"

    private var members: [String: JSONValue]

    /// A profile for a user without a stored one.
    init(of userID: String, with assignments: [String: String]) {
        members = [Self.userID: .string(userID)]
        add(assignments)
    }

    /// Reads the profile of a user.
    ///
    /// - Throws: `ProfileServerError` if it is not a profile, or belongs to another user.
    init(_ text: [UInt8], of userID: String) throws(ProfileServerError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: text) } catch {
            // Without the path, which may contain any data.
            throw ProfileServerError(
                .foreignValue,
                "the stored value is not a profile: \(error.message) (line \(error.line), column \(error.column))")
        }
        guard case .object(let members) = value, case .string(let owner)? = members[Self.userID] else {
            throw ProfileServerError(.foreignValue, "the stored value is not a profile: it has no user_id")
        }
        // Compared by bytes, as keys are: Swift treats composed and decomposed letters as equal.
        guard owner.utf8.elementsEqual(userID.utf8) else {
            throw ProfileServerError(
                .anotherUser, "the stored profile belongs to another user whose id has the same key")
        }
        switch members[Self.bucketMap] {
        case .object, .null, nil: self.members = members
        default:
            throw ProfileServerError(
                .foreignValue, "the stored value is not a profile: its experiment_bucket_map is not an object")
        }
    }

    private var map: [String: JSONValue] {
        if case .object(let map)? = members[Self.bucketMap] { map } else { [:] }
    }

    /// The readable assignments. Unknown entries of other programs are skipped.
    var profile: UserProfile {
        var profile = UserProfile()
        for (experiment, entry) in map {
            guard case .string(let variation)? = entry[Self.variationID] else { continue }
            profile.assignments[experiment] = variation
        }
        return profile
    }

    /// Adds assignments. Other contents are preserved.
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

    var text: [UInt8] { Array(JSONValue.object(members).compactText.utf8) }
}

/// The key of a user's profile in memcached: visible ASCII, up to 250 bytes.
enum ProfileKey {
    static let longestPrefix = 128
    private static let longestKey = 250
    /// Marks a fingerprint in place of an id.
    private static let mark = UInt8(ascii: "#")

    /// Whether memcached accepts a byte in a key.
    static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F }

    /// The prefix and the id, or a fingerprint of an id that is too long or not all visible ASCII.
    static func text(of userID: String, prefix: String) -> String {
        let id = userID.utf8
        let isPlain =
            !id.isEmpty && id.first != mark && prefix.utf8.count + id.count <= longestKey
            && id.allSatisfy(isVisible)
        return prefix + (isPlain ? userID : "#" + fingerprint(userID))
    }

    /// 128 bits, enough to avoid accidental collisions. Deliberate collisions have no effect: a profile contains the id
    /// of its user.
    private static func fingerprint(_ userID: String) -> String {
        (0..<4).map { MD5.prefix(of: "\($0)" + userID).hexadecimal(width: 8) }.joined()
    }
}
