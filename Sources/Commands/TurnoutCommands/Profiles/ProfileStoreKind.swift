import TurnoutCassandra
import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutMemcached
import TurnoutRedis

#if SQLite
    import TurnoutSQLite
#endif

/// A kind of store, and the prefixes of its addresses.
struct ProfileStoreKind {
    /// The prefixes of addresses, such as `memcached://`.
    let prefixes: [String]
    /// Opens the store at an address, with this access.
    let open: (_ address: String, _ access: Access, _ option: String, _ log: any Log) throws -> OpenProfiles
    /// The statement that creates the table of the store at an address; nil for stores that need none.
    var schema: ((_ address: String) throws -> String)?

    enum Access {
        /// Reads a store that exists.
        case read
        case write
        /// Also creates a store that is missing.
        case create
    }

    static var all: [ProfileStoreKind] { [sqlite, memcached, redis, cassandra] }

    /// Whether a text is an address of a store rather than the name of a file.
    static func isAddress(_ text: String) -> Bool {
        text.contains("://") || all.contains { kind in kind.prefixes.contains { text.hasPrefix($0) } }
    }

    /// The statement that creates the table of the store at an address, which an option of the command line has.
    ///
    /// - Throws: Like ``open(_:_:option:log:)``.
    static func schema(of address: String, option: String) throws -> String {
        guard let schema = try kind(of: address, option: option).schema else {
            throw CommandError("this store needs no schema; only Cassandra has one")
        }
        return try schema(address)
    }

    /// Opens the store at an address, which an option of the command line has. A store that works without one of its
    /// servers logs a warning.
    ///
    /// - Throws: `UsageError` if the address matches no kind, or the error of opening the store.
    static func open(
        _ address: String, _ access: Access, option: String, log: any Log = .standardError
    ) throws -> OpenProfiles {
        try kind(of: address, option: option).open(address, access, option, log)
    }

    private static func kind(of address: String, option: String) throws(UsageError) -> ProfileStoreKind {
        guard let kind = all.first(where: { kind in kind.prefixes.contains { address.hasPrefix($0) } }) else {
            // Only the scheme: the rest may contain passwords.
            throw UsageError.invalidValue(
                option: option, value: address.divided(at: ":").head,
                expected: "an address that begins with " + all.flatMap(\.prefixes).joined(separator: ", "), nearest: nil
            )
        }
        return kind
    }
}

/// An open store and its operations for commands.
struct OpenProfiles {
    let store: any ProfileStore
    /// Forgets a user, and returns whether the user was known.
    let forget: (String) throws -> Bool
    /// The number of stored users; nil if the store cannot count them.
    let count: (() throws -> Int)?
}

extension OpenProfiles {
    /// Wraps a store. `forget` looks the user up before erasing.
    init(_ store: any ProfileStore, erase: @escaping (String) throws -> Void, count: (() throws -> Int)?) {
        self.store = store
        self.count = count
        forget = { userID in
            // An unreadable profile exists, and can be erased.
            let profile = try? store.profile(of: userID)
            try erase(userID)
            return profile.map { !$0.assignments.isEmpty } ?? true
        }
    }
}

extension ProfileStoreKind {
    static var sqlite: ProfileStoreKind {
        ProfileStoreKind(prefixes: ["sqlite:"]) { address, access, option, log in
            #if SQLite
                let directory = String(address.dropFirst("sqlite:".count))
                guard !directory.isEmpty else {
                    throw UsageError.invalidValue(
                        option: option, value: address,
                        expected: "sqlite: followed by a directory, such as sqlite:/var/lib/shop/turnout", nearest: nil)
                }
                // Opening would create a missing file, and hide a mistyped path.
                if access != .create { _ = try InputFile(directory + "/turnout.sqlite") }
                if access == .read {
                    let profiles = try SQLiteProfileReader(directory: directory)
                    return OpenProfiles(profiles, erase: { _ in }, count: { try profiles.count })
                }
                let profiles = try SQLiteStorage(directory: directory, log: log).profiles
                return OpenProfiles(profiles, erase: profiles.forget) { try profiles.count }
            #else
                throw CommandError("this build is without SQLite; build with --traits default,SQLite")
            #endif
        }
    }

    static var memcached: ProfileStoreKind {
        ProfileStoreKind(prefixes: ["memcached://"]) { address, _, _, log in
            let store = try MemcachedProfileStore(MemcachedOptions(url: address), log: log)
            return OpenProfiles(store, erase: store.forget, count: nil)
        }
    }

    static var redis: ProfileStoreKind {
        let prefixes = ["redis://", "rediss://", "redis+unix://", "redis-cluster://", "rediss-cluster://"]
        return ProfileStoreKind(prefixes: prefixes) { address, _, _, _ in
            let store = try RedisProfileStore(RedisOptions(url: address))
            return OpenProfiles(store, erase: store.forget) { try store.count }
        }
    }

    static var cassandra: ProfileStoreKind {
        ProfileStoreKind(prefixes: ["cassandra://"]) { address, _, _, log in
            let store = try CassandraProfileStore(CassandraOptions(url: address), log: log)
            return OpenProfiles(store, erase: store.forget) { try store.count }
        } schema: {
            CassandraProfileStore.schema(for: try CassandraOptions(url: $0))
        }
    }
}
