/// A process that ends normally with additions in memory.
@Suite struct SQLiteExitTests {
    let directories = Directories()
    var directory: String { directories.first }

    @Test func anExitWritesEverything() async throws {
        for _ in 0..<rounds(3, thorough: 20) {
            let directory = directories.next()
            await #expect(processExitsWith: .exitCode(0)) { [directory = directory as String] in
                try decide(5, SQLiteStorage(directory: directory))
                exit(0)
            }
            try expectAll(5, in: directory)
        }
    }

    /// Where a thread calls `exit`.
    enum Place: CaseIterable, Codable, Sendable { case listener, task, transaction }

    @Test(arguments: Place.allCases) func anyThreadMayExit(from place: Place) async throws {
        let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            [directory = directory as String, place = place as Place] in
            try await decideAndExit(from: place, in: directory)
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        // The thread that exits holds the lock that the writing thread needs.
        guard place == .transaction else { return try expectAll(5, in: directory) }
        #expect(errors.contains("the process ends, and 5 events and 5 assignments are lost"), "\(errors)")
    }

    @Test func anExitDoesNotWaitForALockedFileAndLogsWhatIsLost() async throws {
        let storage = try SQLiteStorage(directory: directory, log: .silent)
        let other = try SQLiteConnection(path: file(in: directory))
        try other.run("BEGIN IMMEDIATE")
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [directory = directory as String] in
            var options = SQLiteOptions()
            options.durability = .soon(within: .seconds(3_600))
            options.busyTimeout = .seconds(3_600)
            try decide(5, SQLiteStorage(directory: directory, options))
            exit(0)
        }
        try other.run("ROLLBACK")
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            errors.contains("the process ends, and 5 events and 5 assignments are lost: they were not written"),
            "\(errors)")
        withExtendedLifetime(storage) {}
    }

    #if os(Linux) && !THREAD_SANITIZER
        @Test func aForkedChildThatExitsWritesNothingOfItsParent() async throws {
            let directory = directories.next()
            await #expect(processExitsWith: .exitCode(0)) { [directory = directory as String] in
                var options = SQLiteOptions()
                options.durability = .soon(within: .seconds(3_600))
                let storage = try SQLiteStorage(directory: directory, options)
                try decide(5, storage)
                let child = try #require(forked())
                if child == 0 { exit(0) }
                waitForSuccess(of: child)
                let written = try SQLiteStorage(directory: directory).events.count
                exit(written == 0 ? 0 : 1)
            }
            try expectAll(5, in: directory)
        }
    #endif

    private func expectAll(_ count: Int, in directory: String) throws {
        let storage = try SQLiteStorage(directory: directory)
        #expect(storage.events.count == count)
        #expect(try storage.profiles.count == count)
    }
}

/// Decides for users, each with an impression and an assignment. The client stays alive, as a global one does.
private func decide(_ count: Int, _ storage: SQLiteStorage) throws {
    var configuration = ClientConfiguration()
    configuration.keep(in: storage)
    configuration.log = .silent
    let client = FlagClient.scripted(Script(.split("a", between: "1", "2")), configuration: configuration)
    for number in 0..<count { _ = client.user("\(number)").decide("a") }
    globals.withLock { $0.append((storage, client)) }
}

private let globals = Locked<[any Sendable]>([])

private func decideAndExit(from place: SQLiteExitTests.Place, in directory: String) async throws {
    var options = SQLiteOptions()
    options.durability = .soon(within: .seconds(3_600))
    let storage = try SQLiteStorage(directory: directory, options)
    try decide(5, storage)
    switch place {
    case .listener:
        let client = FlagClient.scripted(.always("b", "1"))
        client.addListener(to: .decisions) { _ in exit(7) }
        _ = client.user("ada").decide("b")
        globals.withLock { $0.append(client) }
    case .task: Task.detached { exit(7) }
    case .transaction: try storage.settings.update("name") { _ in exit(7) }
    }
    try await Task.sleep(for: .seconds(60))
}
