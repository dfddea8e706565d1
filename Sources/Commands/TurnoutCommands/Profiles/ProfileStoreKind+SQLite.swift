#if SQLite
    import TurnoutEngine
    import TurnoutSQLite

    extension ProfileStoreKind {
        static var sqlite: ProfileStoreKind {
            ProfileStoreKind(prefixes: ["sqlite:"], trait: "SQLite") { address in
                let directory = String(address.dropFirst("sqlite:".count))
                // Opening would make a new file where there is none, and a typing error would look like an answer.
                _ = try InputFile(directory + "/turnout.sqlite")
                let profiles = try SQLiteStorage(directory: directory).profiles
                return OpenProfiles(profiles, erase: profiles.forget) { try profiles.count }
            }
        }
    }
#else
    extension ProfileStoreKind {
        static var sqlite: ProfileStoreKind { ProfileStoreKind(prefixes: ["sqlite:"], trait: "SQLite") }
    }
#endif
