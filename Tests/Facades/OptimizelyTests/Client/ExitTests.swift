#if SQLite
    import TurnoutSQLite

    @Suite("A program that exits")
    struct ExitTests {
        private let directory = TemporaryDirectory()

        @Test("loses no events and assignments")
        func exits() async throws {
            for round in 0..<rounds(3, thorough: 20) {
                await #expect(processExitsWith: .exitCode(0)) {
                    [directory = directory.path as String, round = round as Int] in
                    var environment = HostEnvironment()
                    environment.storage = LazyStorage { SQLiteStorage.open(directory: directory) }
                    HostEnvironment.standard.withLock { [environment] in $0 = environment }
                    let client = OptimizelyClient(sdkKey: "key", datafileHandler: ScriptedHandler())
                    try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
                    for number in 0..<5 {
                        _ = try client.activate(experimentKey: "sticky", userId: "\(round)/\(number)")
                    }
                    exit(0)
                }
                let storage = try SQLiteStorage(directory: directory.path)
                #expect(storage.events(named: "OPTEventQueue").count == 5 * (round + 1))
                #expect(try storage.profiles.count == 5 * (round + 1))
            }
        }
    }
#endif
