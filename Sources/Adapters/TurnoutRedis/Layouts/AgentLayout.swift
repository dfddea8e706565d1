import LibC
import TurnoutClient
import TurnoutEngine

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
