#if SQLite
    import TurnoutCommandIO
    import TurnoutEngine
    import TurnoutSQLite

    extension ProfileStoreKind {
        static var sqlite: ProfileStoreKind {
            ProfileStoreKind(prefixes: ["sqlite:"]) { address, access, option, log in
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
            }
        }
    }
#else
    import TurnoutCommandIO

    extension ProfileStoreKind {
        static var sqlite: ProfileStoreKind {
            ProfileStoreKind(prefixes: ["sqlite:"]) { _, _, _, _ in
                throw CommandError("this build is without SQLite; build with --traits default,SQLite")
            }
        }
    }
#endif
