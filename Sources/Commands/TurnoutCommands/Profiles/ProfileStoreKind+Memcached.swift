import TurnoutMemcached

extension ProfileStoreKind {
    static var memcached: ProfileStoreKind {
        ProfileStoreKind(prefixes: ["memcached://"], trait: nil) { address, _, _ in
            let store = try MemcachedProfileStore(MemcachedOptions(url: address))
            return OpenProfiles(store, erase: store.forget, count: nil)
        }
    }
}
