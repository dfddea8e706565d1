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
        var world = HostEnvironment()
        #if Curl && os(Linux)
            world.transport = .curl
            world.makeTransport = { .curl($0) }
        #else
            world.transport = .urlSession
            world.makeTransport = { .urlSession($0) }
        #endif
        world.vendor = VendorData(settings: .standard, directory: StoreDirectory.ofVendor)
        world.datafiles = FileDatafileCache(directory: StoreDirectory.ofDatafiles)
        #if SQLite
            world.storage = LateStorage { SQLiteStorage.ofThisProgram() }
        #endif
        return world
    }
}
