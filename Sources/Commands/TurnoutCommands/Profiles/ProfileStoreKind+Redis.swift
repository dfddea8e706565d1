#if Redis
    import TurnoutRedis

    extension ProfileStoreKind {
        static var redis: ProfileStoreKind {
            ProfileStoreKind(prefixes: redisPrefixes, trait: "Redis") { address, _, _, _ in
                let store = try RedisProfileStore(RedisOptions(url: address))
                return OpenProfiles(store, erase: store.forget) { try store.count }
            }
        }
    }
#else
    extension ProfileStoreKind {
        static var redis: ProfileStoreKind { ProfileStoreKind(prefixes: redisPrefixes, trait: "Redis") }
    }
#endif

private let redisPrefixes = ["redis://", "rediss://", "redis+unix://", "redis-cluster://", "rediss-cluster://"]
