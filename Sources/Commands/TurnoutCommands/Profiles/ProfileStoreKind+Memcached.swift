#if Memcached
    import TurnoutMemcached

    extension ProfileStoreKind {
        static var memcached: ProfileStoreKind {
            ProfileStoreKind(prefixes: ["memcached://"], trait: "Memcached") { address in
                let store = try MemcachedProfileStore(MemcachedOptions(url: address))
                return OpenProfiles(store, erase: store.forget, count: nil)
            }
        }
    }
#else
    extension ProfileStoreKind {
        static var memcached: ProfileStoreKind { ProfileStoreKind(prefixes: ["memcached://"], trait: "Memcached") }
    }
#endif
