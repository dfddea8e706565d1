#if Curl && os(Linux)
    import TurnoutCurl
#else
    import TurnoutURLSession
#endif

#if SQLite
    import TurnoutSQLite
#endif

extension World {
    /// The machine's network and files. The only place of this module that chooses which they are.
    static var outside: World {
        var world = World()
        #if Curl && os(Linux)
            world.transport = .curl
        #else
            world.transport = .urlSession
        #endif
        world.datafiles = FileDatafileCache(directory: StoreDirectory.ofDatafiles)
        #if SQLite
            world.storage = LateStorage { SQLiteStorage.ofThisProgram() }
        #endif
        return world
    }
}
