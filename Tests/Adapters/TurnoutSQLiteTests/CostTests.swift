#if os(Linux)
    /// The cost of an event in reads and writes of the process, since times depend on the load of the machine.
    @Suite struct SQLiteCostTests {
        let directories = Directories()

        @Test func theCostOfAnEventDoesNotGrowWithTheQueue() async throws {
            let directory = directories.next()
            // A separate process, without other reads and writes.
            await #expect(processExitsWith: .success) { [directory = directory as String] in
                var options = SQLiteOptions.durable
                options.maximumEvents = 20_000
                let storage = try SQLiteStorage(directory: directory, options)
                let (store, client) = (storage.events, try trackingClient(storage))
                var costs: [(tracked: Int, delivered: Int)] = []
                for waiting in [10, 10_000] {
                    let others = (store.count..<waiting).map { event($0) }
                    #expect(store.append(contentsOf: others).isEmpty)
                    let tracked = try medianCost { try client.track("purchase", for: User("ada")) }
                    let delivered = try medianCost {
                        try store.remove(try store.oldest(1).map(\.id))
                        try store.synchronize()
                    }
                    costs.append((tracked, delivered))
                    #expect(store.count == waiting)
                }
                let nothing = try medianCost {}
                #expect(costs.allSatisfy { min($0.tracked, $0.delivered) > nothing }, "\(costs)")
                #expect(abs(costs[1].tracked - costs[0].tracked) <= 2, "\(costs)")
                #expect(abs(costs[1].delivered - costs[0].delivered) <= 2, "\(costs)")
                // For comparison: a scan of all events costs more.
                let connection = try SQLiteConnection(path: file(in: directory))
                #expect(try medianCost { try connection.run("SELECT count(*) FROM events") } > 100)
            }
        }
    }

    /// A client whose receiver has failed once, and is not tried again.
    private func trackingClient(_ storage: SQLiteStorage) throws -> FlagClient {
        let datafile = #"""
            {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true, "groups": [],
             "audiences": [], "events": [{"id": "9", "key": "purchase", "experimentIds": []}], "attributes": [],
             "featureFlags": [], "experiments": [], "rollouts": []}
            """#
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.keep(in: storage)
        configuration.transport = MemoryTransport { _ in HTTPResponse(status: 503) }
        configuration.events.firstDelay = .seconds(3_600)
        configuration.events.longestDelay = .seconds(3_600)
        return try FlagClient(datafile: Array(datafile.utf8), configuration)
    }

    /// The median cost of a call.
    private func medianCost(_ body: () throws -> Void) throws -> Int {
        let costs = try (0..<101).map { _ in
            let before = try callCount()
            try body()
            return try callCount() - before
        }
        return costs.sorted()[50]
    }

    /// The number of reads and writes of this process so far.
    private func callCount() throws -> Int {
        let lines = String(decoding: try contents(of: "/proc/self/io"), as: UTF8.self).split(separator: "\n")
        let counts = lines.filter { $0.hasPrefix("syscr: ") || $0.hasPrefix("syscw: ") }.compactMap {
            Int($0.dropFirst(7))
        }
        try #require(counts.count == 2)
        return counts[0] + counts[1]
    }
#endif
