import TurnoutClient
import TurnoutEngine

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
