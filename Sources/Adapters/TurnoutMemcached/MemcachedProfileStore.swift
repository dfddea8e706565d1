public import TurnoutClient

/// Stores assignments in memcached, shared by all machines that use the same servers.
///
/// ```swift
/// var configuration = ClientConfiguration()
/// configuration.profiles = try .memcached("memcached://cache1:11211,cache2:11211?ttl=30d")
/// ```
///
/// A profile is JSON in the schema that the vendor's clients share. New assignments are merged into it by
/// compare-and-swap, so clients, processes and machines never lose each other's assignments; unknown members are
/// preserved. Users are distributed over the servers by consistent hashing. The key is the prefix and the user's id, or
/// a 128-bit fingerprint of an id that is long or not all visible ASCII. The profile contains the id, and is not used
/// for another user.
///
/// memcached is a cache and may lose data:
///
/// | Event | Assignments |
/// | --- | --- |
/// | a server restarts | its assignments are lost; its users are assigned anew |
/// | its memory is full | those of the least recently used users are lost |
/// | the time to live expires | the user is assigned anew. A new assignment extends it, a lookup does not |
/// | a server is down or does not respond in time | it is skipped: its users are assigned anew on the next server |
/// | it returns with its memory intact | its assignments are used again; those on the next server are not |
/// | it is skipped once more | the older copy on the next server is used again, without later assignments |
/// | a server is added or removed | its share of users moves, as after a restart |
/// | all servers are down | calls fail at once until one is tried again |
/// | a call times out | the call throws; a write may have been stored or not |
/// | a profile is too large for the server | the call throws; the stored profile is unchanged |
/// | a stored value is not a profile | the call throws; the value stays until ``forget(_:)`` |
/// | two ids have one fingerprint | the call throws; the second user is not stored |
///
/// If users must never be reassigned, use a database. There is no count of users: memcached cannot list its keys.
///
/// Calls block the calling thread until the server responds. TLS and passwords are not supported: use a private
/// network.
public final class MemcachedProfileStore: ProfileStore {
    /// Each failed attempt means that another client succeeded, so the limit is hardly ever reached.
    private static let mergeAttempts = 100

    private let options: MemcachedOptions
    private let servers: MemcachedServers

    /// Creates a store. It connects when the first user is looked up.
    ///
    /// - Parameters:
    ///   - options: The servers and time limits. Default: one server on this machine.
    ///   - log: Where outages and recoveries of servers are reported. Default: the standard error output.
    /// - Throws: `ProfileServerError` if the options cannot be used.
    public init(_ options: MemcachedOptions = MemcachedOptions(), log: any Log = .standardError) throws {
        self.options = try options.checked()
        servers = MemcachedServers(self.options, log: log)
    }

    /// True: calls wait for a server.
    public var isRemote: Bool { true }

    /// The stored assignments of a user.
    ///
    /// - Throws: `ProfileServerError` if no server responded, or the stored value is not a profile of the user.
    public func profile(of userID: String) throws -> UserProfile {
        let key = key(of: userID)
        let value = try servers.perform(on: key) { (connection, deadline) throws(ProfileServerError) in
            try connection.value(of: key, until: deadline)
        }
        return try value.map { try StoredProfile($0.text, of: userID).profile } ?? UserProfile()
    }

    /// The stored assignments of many users, by user id; unknown users are missing. All servers are queried in
    /// parallel, with a hundred users per request.
    ///
    /// - Throws: `ProfileServerError` if a server did not respond, or a stored value is not a profile of its user.
    public func profiles(of userIDs: [String]) throws -> [String: UserProfile] {
        let userIDs = userIDs.bySpelling.first ?? []
        let users = Dictionary(userIDs.map { (key(of: $0), $0) }) { first, _ in first }
        let values = try servers.values(of: Array(users.keys))
        var profiles: [String: UserProfile] = [:]
        profiles.reserveCapacity(values.count)
        for (key, value) in values {
            guard let userID = users[key] else { continue }
            profiles[userID] = try StoredProfile(value.text, of: userID).profile
        }
        return profiles
    }

    /// Adds assignments to those of a user. They are on the server when the call returns.
    ///
    /// - Throws: `ProfileServerError` if they could not be stored; with
    ///   `ProfileServerError.Code.deadlineExceeded` they may have been.
    public func save(_ assignments: [String: String], for userID: String) throws {
        guard !assignments.isEmpty else { return }
        let key = key(of: userID)
        try servers.perform(on: key) { (connection, deadline) throws(ProfileServerError) in
            try merge(assignments, of: userID, under: key, connection, until: deadline)
        }
    }

    private func merge(
        _ assignments: [String: String], of userID: String, under key: String, _ connection: MemcachedConnection,
        until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) {
        var mayBeNew = true
        for _ in 0..<Self.mergeAttempts where ContinuousClock.now < deadline {
            let expiring = options.expiration(at: .system)
            // Most assignments are for users without a stored profile: `add` stores theirs in one round trip.
            if mayBeNew {
                let first = StoredProfile(of: userID, with: assignments).text
                if try connection.add(key, first, expiring: expiring, until: deadline) { return }
            }
            guard let old = try connection.value(of: key, until: deadline) else {
                mayBeNew = true
                continue
            }
            var profile = try StoredProfile(old.text, of: userID)
            profile.add(assignments)
            switch try connection.replace(key, old, with: profile.text, expiring: expiring, until: deadline) {
            case .stored: return
            case .changedByOthers: mayBeNew = false
            case .missing: mayBeNew = true
            }
        }
        throw ProfileServerError(.contended, "other clients changed the profile until the call gave up")
    }

    /// Forgets a user on the server that currently holds the user. A copy stored on another server during an outage
    /// stays there.
    ///
    /// - Throws: `ProfileServerError` if the user could not be removed.
    public func forget(_ userID: String) throws {
        let key = key(of: userID)
        try servers.perform(on: key) { (connection, deadline) throws(ProfileServerError) in
            try connection.remove(key, until: deadline)
        }
    }

    private func key(of userID: String) -> String { ProfileKey.text(of: userID, prefix: options.prefix) }
}

extension MemcachedProfileStore: BatchProfileStore {}

extension ProfileStore where Self == MemcachedProfileStore {
    /// A store in memcached, at a URL such as `memcached://cache1,cache2?ttl=30d`; see ``MemcachedOptions/init(url:)``.
    ///
    /// - Throws: `ProfileServerError` if the address cannot be used.
    public static func memcached(_ url: String, log: any Log = .standardError) throws -> MemcachedProfileStore {
        try MemcachedProfileStore(MemcachedOptions(url: url), log: log)
    }

    /// A store in memcached, with these options.
    ///
    /// - Throws: `ProfileServerError` if the options cannot be used.
    public static func memcached(
        _ options: MemcachedOptions, log: any Log = .standardError
    ) throws -> MemcachedProfileStore {
        try MemcachedProfileStore(options, log: log)
    }
}
