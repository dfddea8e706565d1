import Foundation

#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

#if SQLite
    import TurnoutSQLite
#endif

extension HostEnvironment {
    /// The machine's network and files. Only this property selects them for the module.
    static var live: HostEnvironment {
        #if SQLite
            var environment = HostEnvironment(storage: LazyStorage { SQLiteStorage.ofThisProgram() })
        #else
            var environment = HostEnvironment()
        #endif
        #if Curl && os(Linux)
            environment.transport = .curl
            environment.makeTransport = { .curl($0) }
        #else
            environment.transport = .urlSession
            environment.makeTransport = { .urlSession($0) }
        #endif
        environment.vendor = VendorData(settings: .standard, directory: StoreDirectory.ofVendor)
        // Next to the library's datafiles.
        let earlier = StoreDirectory.ofDatafiles
        environment.earlierEvents =
            earlier.deletingLastPathComponent().appending(path: "database/optly-database.sqlite").path
        environment.datafiles = FileDatafileCache(
            directory: StoreDirectory.ofThisProgram.appending(path: "datafile"), earlier: earlier)
        return environment
    }
}
