import TurnoutClient
import TurnoutEngine
import TurnoutSockets

/// Users' segments in Redis, as Optimizely's Agent caches them: JSON lists of names under keys such as
/// `fs_user_id-$-ada`, without a prefix. Several servers and Agents can share them.
///
/// All functions wait for the server.
package final class RedisSegmentCache: Sendable {
    private let servers: any KeyRouting
    private let options: RedisOptions
    private let lifetime: String?

    /// Creates a cache. It connects with its first use.
    ///
    /// - Parameters:
    ///   - options: The server, and how to connect. Prefix and layout have no effect.
    ///   - lifetime: How long segments are cached. Default: nil, until they are removed.
    /// - Throws: `ProfileServerError` if the options contradict each other, or a file of ``RedisOptions/tls``
    ///   cannot be used.
    package init(_ options: RedisOptions, lifetime: Duration? = nil) throws {
        let options = try options.checked()
        self.options = options
        self.lifetime = lifetime.map { String(max(1, Int64($0 / .milliseconds(1)))) }
        servers = try options.connect()
    }

    /// The segments for a key; nil if they are not cached, or the value is of another program.
    ///
    /// - Throws: `ProfileServerError` if the server did not respond.
    package func segments(_ key: String) throws -> [String]? {
        let reply = try servers.reply(to: RedisCommand("GET", key), for: key)
        guard let text = reply.text, case .array(let elements)? = try? JSONValue(parsing: text) else {
            return nil
        }
        let names = elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
        return names.count == elements.count ? names : nil
    }

    /// Caches the segments for a key.
    ///
    /// - Throws: `ProfileServerError` if the server did not confirm the write.
    package func save(_ segments: [String], _ key: String) throws {
        let text = JSONValue.array(segments.map { .string($0) }).compactText
        let command = RedisCommand(["SET", key, text] + (lifetime.map { ["PX", $0] } ?? []))
        _ = try servers.reply(to: command, for: key)
    }

    /// Removes all cached segments, and nothing else.
    ///
    /// - Throws: `ProfileServerError` if a server did not respond.
    /// - Complexity: O(n), where n is the number of all keys on the servers.
    package func removeAll() throws {
        for server in try servers.masters() {
            for kind in [OdpUserKey.userID, .vuid] {
                try server.forEachPart(ofKeys: kind.rawValue + "-$-*", timeout: options.timeout) {
                    (keys) throws(ProfileServerError) in
                    // One command for each key: in a cluster, keys of different slots cannot share one.
                    let removals = keys.compactMap(\.text).map { RedisCommand("DEL", $0) }
                    guard !removals.isEmpty else { return }
                    _ = try server.replies(to: removals, until: .now.advanced(by: options.timeout))
                }
            }
        }
    }
}

extension RedisOptions {
    /// The servers.
    ///
    /// - Throws: `ProfileServerError` if a file of ``tls`` cannot be used.
    func connect() throws -> any KeyRouting {
        let context: TLSContext?
        do throws(StreamError) {
            context = try tls.map { (tls) throws(StreamError) in try TLSContext(tls) }
        } catch { throw ProfileServerError(error) }
        return switch servers {
        case .one(let address): SingleServer(address, self, context)
        case .cluster(let addresses): Cluster(addresses, self, context)
        }
    }
}
