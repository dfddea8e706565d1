import LibC
import TurnoutClient
import TurnoutEngine

/// How a user's assignments are stored in Redis.
protocol ProfileLayout: Sendable {
    /// The command that reads the value of a key.
    func lookup(_ key: String) -> RedisCommand

    /// Reads the reply to ``lookup(_:)``.
    func profile(in reply: Reply) throws(ProfileServerError) -> UserProfile

    /// Adds assignments to those under a key, without losing those of other clients. Idempotent.
    func save(_ assignments: [String: String], under key: String, _ session: RedisSession)
        throws(ProfileServerError)

    /// The commands that do the same as ``save(_:under:_:)`` without reading; none if that has to read.
    func addition(_ assignments: [String: String], under key: String) -> [RedisCommand]
}

extension ProfileLayout {
    func addition(_ assignments: [String: String], under key: String) -> [RedisCommand] { [] }
}

/// A hash for each user. The server merges assignments, because each is a field.
struct HashLayout: ProfileLayout {
    /// In milliseconds; nil for no expiration.
    let timeToLive: String?

    func lookup(_ key: String) -> RedisCommand { RedisCommand("HGETALL", key) }

    func profile(in reply: Reply) throws(ProfileServerError) -> UserProfile {
        guard let elements = reply.elements, elements.count.isMultiple(of: 2) else { throw .invalidResponse }
        var assignments: [String: String] = [:]
        assignments.reserveCapacity(elements.count / 2)
        for place in stride(from: 0, to: elements.count, by: 2) {
            // Ids are text; other fields belong to other programs.
            guard let experiment = elements[place].text, let variation = elements[place + 1].text else { continue }
            assignments[experiment] = variation
        }
        return UserProfile(assignments)
    }

    func save(_ assignments: [String: String], under key: String, _ session: RedisSession)
        throws(ProfileServerError)
    {
        let commands = addition(assignments, under: key)
        // In one transaction: a failure in between would store the user without an expiration.
        let replies =
            commands.count > 1
            ? try session.transaction(commands) : try session.checkedReplies(to: commands)
        guard replies.allSatisfy({ $0.integer != nil }) else { throw .invalidResponse }
    }

    func addition(_ assignments: [String: String], under key: String) -> [RedisCommand] {
        [RedisCommand(["HSET", key] + assignments.flatMap { [$0, $1] })]
            + (timeToLive.map { [RedisCommand("PEXPIRE", key, $0)] } ?? [])
    }
}

/// A JSON object for each user, as Optimizely's Agent stores it. The server cannot merge such values, so each merge
/// watches the key, and restarts if another client changed it. Nothing is written before the server has accepted a
/// transaction. No script, or permission for one, is needed.
struct AgentLayout: ProfileLayout {
    /// In milliseconds; nil for no expiration.
    let timeToLive: String?

    func lookup(_ key: String) -> RedisCommand { RedisCommand("GET", key) }

    func profile(in reply: Reply) throws(ProfileServerError) -> UserProfile {
        UserProfile(try value(in: reply).assignments)
    }

    func save(_ assignments: [String: String], under key: String, _ session: RedisSession)
        throws(ProfileServerError)
    {
        while try !merge(assignments, under: key, session) {
            guard ContinuousClock.now < session.deadline else {
                throw ProfileServerError(.contended, "other clients changed the profile on each attempt")
            }
            // Random jitter separates concurrent clients.
            usleep(.random(in: 0..<500))
        }
    }

    /// Returns false if another client has changed the value in the meantime.
    private func merge(
        _ assignments: [String: String], under key: String, _ session: RedisSession
    ) throws(ProfileServerError) -> Bool {
        let commands = [RedisCommand("WATCH", key), lookup(key), .multi]
        let replies = try session.replies(to: commands)
        let isBegun = replies[2] == .ok
        var value: AgentValue
        do throws(ProfileServerError) {
            for (command, reply) in zip(commands, replies) {
                if let error = reply.error { throw error.of(command) }
            }
            guard replies[0] == .ok, isBegun else { throw .invalidResponse }
            value = try self.value(in: replies[1])
        } catch {
            // The connection must not be reused within a transaction.
            if isBegun, !error.breaksConnection { try session.endTransaction() }
            throw error
        }
        value.assignments.merge(assignments) { $1 }
        let set = RedisCommand(["SET", key, value.text] + (timeToLive.map { ["PX", $0] } ?? []))
        guard let results = try session.commit([set], begins: false) else { return false }
        guard results == [.ok] else { throw .invalidResponse }
        return true
    }

    private func value(in reply: Reply) throws(ProfileServerError) -> AgentValue {
        switch reply {
        case .null: return AgentValue()
        case .text(let text): return try AgentValue(text)
        case .bytes: throw AgentValue.foreign
        default: throw .invalidResponse
        }
    }
}

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
        return JSONWriter.object {
            for (key, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                $0.member(key, member)
            }
        }.text
    }
}
