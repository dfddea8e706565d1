import TurnoutCassandra
import TurnoutMemcached
import TurnoutRedis

extension ProfileStoreKind {
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
