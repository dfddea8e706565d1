import TurnoutMemcached

extension ProfileStoreKind {
    static var memcached: ProfileStoreKind {
        ProfileStoreKind(prefixes: ["memcached://"], trait: nil) { address, _, _, log in
            let store = try MemcachedProfileStore(MemcachedOptions(url: address), log: log)
            return OpenProfiles(store, erase: store.forget, count: nil)
        }
    }
}
