#if Cassandra
    import TurnoutCassandra

    extension ProfileStoreKind {
        static var cassandra: ProfileStoreKind {
            ProfileStoreKind(prefixes: cassandraPrefixes, trait: "Cassandra") { address, _, _, log in
                let store = try CassandraProfileStore(CassandraOptions(url: address), log: log)
                return OpenProfiles(store, erase: store.forget) { try store.count }
            } schema: {
                CassandraProfileStore.schema(for: try CassandraOptions(url: $0))
            }
        }
    }
#else
    extension ProfileStoreKind {
        static var cassandra: ProfileStoreKind { ProfileStoreKind(prefixes: cassandraPrefixes, trait: "Cassandra") }
    }
#endif

private let cassandraPrefixes = ["cassandra://"]
