#if Memcached
    import TurnoutMemcached

    extension ProfileStoreKind {
        static var memcached: ProfileStoreKind {
            ProfileStoreKind(prefixes: ["memcached://"], trait: "Memcached") { address in
                let store = try MemcachedProfileStore(url: address)
                return OpenProfiles(store: store, forget: store.forget, count: nil)
            }
        }
    }
#else
    extension ProfileStoreKind {
        static var memcached: ProfileStoreKind { ProfileStoreKind(prefixes: ["memcached://"], trait: "Memcached") }
    }
#endif
