import TurnoutMemcached

#if Cassandra
    import TurnoutCassandra
#endif
#if Redis
    import TurnoutRedis
#endif

extension ProfileStoreKind {
    static var memcached: ProfileStoreKind {
        ProfileStoreKind(prefixes: ["memcached://"], trait: nil) { address, _, _, log in
            let store = try MemcachedProfileStore(MemcachedOptions(url: address), log: log)
            return OpenProfiles(store, erase: store.forget, count: nil)
        }
    }

    static var redis: ProfileStoreKind {
        let prefixes = ["redis://", "rediss://", "redis+unix://", "redis-cluster://", "rediss-cluster://"]
        #if Redis
            return ProfileStoreKind(prefixes: prefixes, trait: "Redis") { address, _, _, _ in
                let store = try RedisProfileStore(RedisOptions(url: address))
                return OpenProfiles(store, erase: store.forget) { try store.count }
            }
        #else
            return ProfileStoreKind(prefixes: prefixes, trait: "Redis")
        #endif
    }

    static var cassandra: ProfileStoreKind {
        let prefixes = ["cassandra://"]
        #if Cassandra
            return ProfileStoreKind(prefixes: prefixes, trait: "Cassandra") { address, _, _, log in
                let store = try CassandraProfileStore(CassandraOptions(url: address), log: log)
                return OpenProfiles(store, erase: store.forget) { try store.count }
            } schema: {
                CassandraProfileStore.schema(for: try CassandraOptions(url: $0))
            }
        #else
            return ProfileStoreKind(prefixes: prefixes, trait: "Cassandra")
        #endif
    }
}
