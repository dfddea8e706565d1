import TurnoutClient
import TurnoutEngine

/// The value that Optimizely's Agent stores under a user's id.
///
/// The facts are from Agent's source, `plugins/userprofileservice/services/redis_ups.go` and `utils.go`, which are
/// the same in this respect at commits `10d64ef` (Agent 3) and `d3125ea` (Agent 4): the key is the user's id,
/// without a prefix. The value is the output of Go's `json.Marshal` for a map of experiment ids to objects,
/// `{"10420810910":{"variation_id":"10418551353"}}`, with keys in byte order and no whitespace. It does not expire.
/// Agent ignores members that are not objects. The same bytes are written here, except for `<`, `>`, `&`, U+2028
/// and U+2029, which Go escapes and which no id contains. Members of other forms are preserved.
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
        guard case .object(let members)? = try? JSONValue(parsing: text) else { throw Self.foreign }
        for (key, member) in members {
            if case .string(let variation)? = member["variation_id"] {
                assignments[key] = variation
            } else {
                others[key] = member
            }
        }
    }

    /// The value as it is stored.
    var text: String {
        var members = others
        for (experiment, variation) in assignments {
            members[experiment] = .object(["variation_id": .string(variation)])
        }
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
