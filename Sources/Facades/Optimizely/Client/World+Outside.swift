import TurnoutURLSession

#if SQLite
    import TurnoutSQLite
#endif

extension World {
    /// The machine's network and files. The only place that chooses which they are.
    static var outside: World {
        var world = World()
        world.transport = .urlSession
        world.datafiles = FileDatafileCache(directory: StoreDirectory.ofDatafiles)
        #if SQLite
            world.storage = LateStorage { SQLiteStorage.ofThisProgram() }
        #endif
        return world
    }
}
