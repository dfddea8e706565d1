/// Data in SQLite fulfills the contracts of the client.
@Suite struct SQLiteContractTests {
    @Test(arguments: [SQLiteOptions.Durability.soon(within: .milliseconds(10)), .beforeReturning])
    func eventsKeepTheContract(_ durability: SQLiteOptions.Durability) async throws {
        var options = SQLiteOptions()
        options.durability = durability
        options.maximumEvents = 500
        let directories = Directories()
        try await checkEventStore(limit: 500) { [options] in
            try SQLiteStorage(directory: directories.next(), options).events
        }
    }

    @Test func eventsOnTheDiskKeepTheContract() async throws {
        var options = SQLiteOptions()
        options.survives = .powerLoss
        let directories = Directories()
        try await checkEventStore { [options] in
            try SQLiteStorage(directory: directories.next(), options).events(named: "odp/é")
        }
    }

    @Test(arguments: [SQLiteOptions.Durability.soon(within: .milliseconds(10)), .beforeReturning])
    func profilesKeepTheContract(_ durability: SQLiteOptions.Durability) async throws {
        var options = SQLiteOptions()
        options.durability = durability
        let directories = Directories()
        try await checkProfileStore(underEveryPolicy: true) { [options] in
            try SQLiteStorage(directory: directories.next(), options).profiles
        }
    }

    @Test func datafilesKeepTheContract() async throws {
        let directories = Directories()
        try await checkDatafileCache { try SQLiteStorage(directory: directories.next()).datafiles }
    }

    @Test func storesWithoutAFileKeepTheContracts() async throws {
        var options = SQLiteOptions()
        options.maximumEvents = 500
        let open = { [options] in SQLiteStorage.open(directory: "/dev/null/nowhere", options, log: .silent) }
        #expect(!open().isDurable)
        try await checkEventStore(limit: 500) { open().events }
        try await checkProfileStore { open().profiles }
        try await checkDatafileCache { open().datafiles }
    }
}
