/// A client may be used from any thread, and is released when it is no longer used.
@Suite struct ConcurrencyTests {
    /// The variations of all flags name the revision.
    private static func datafile(_ revision: Int) -> [UInt8] {
        let flags = ["a", "b", "c"].map {
            ScriptLine.always($0, "r\(revision)", variables: ["revision": .integer(Int64(revision))])
        }
        var script = Script(flags)
        script.revision = "\(revision)"
        return script.datafile
    }

    @Test func eachDecisionUsesOneRevision() async throws {
        let client = try FlagClient(datafile: Self.datafile(1), .quiet { $0.profiles = .memory })
        let datafiles = (2...30).map { Self.datafile($0) }
        let isOver = Collected<Bool>()
        await withTaskGroup { group in
            group.addTask {
                for datafile in datafiles {
                    let isNew = try? client.update(to: datafile)
                    #expect(isNew == true)
                    await Task.yield()
                }
                isOver.add(true)
            }
            for task in 0..<4 {
                group.addTask {
                    var newest = 0
                    for round in 0..<400 where isOver.count == 0 {
                        let all = client.user("user \(task) \(round % 16)").decideAll()
                        let keys = Set(all.values.map(\.variationKey))
                        let revisions = Set(all.values.map { $0.variables.integer("revision") ?? -1 })
                        #expect(all.count == 3 && keys.count == 1 && revisions.count == 1)
                        guard let revision = revisions.first else { return }
                        #expect(keys.first == "r\(revision)")
                        newest = max(newest, revision)
                        if round % 4 == 3 { await Task.yield() }
                    }
                    #expect(newest > 0)
                }
            }
        }
        #expect(client.user("ada").decide("a").variationKey == "r30")
    }

    @Test func eventsBelongToTheRevisionOfTheirDecision() async throws {
        let sent = RecordedEvents()
        let client = try FlagClient(datafile: Self.datafile(1), .quiet { $0.eventStore = sent })
        try await withThrowingTaskGroup { group in
            group.addTask { for number in 2..<40 { try client.update(to: Self.datafile(number)) } }
            for task in 0..<4 {
                group.addTask { for _ in 0..<200 { _ = client.user("user \(task)").decide("a") } }
            }
            try await group.waitForAll()
        }
        #expect(sent.all.count == 800)
        for (event, impression) in zip(sent.all, sent.impressions) {
            let revision = impression.variationKey.dropFirst()
            #expect(event.group.envelope.contains(#""revision":"\#(revision)""#))
        }
    }

    @Test func clientsAreReleasedAfterTheirEnd() async throws {
        let clock = ManualClock()
        let source = MemoryDatafileSource(Self.datafile(1))
        weak var released: FlagClient?
        do {
            let client = FlagClient(
                .quiet {
                    $0.datafiles = source
                    $0.pollingInterval = .seconds(60)
                    $0.clock = clock
                    $0.transport = .memory
                    $0.profiles = .memory
                })
            released = client
            try await client.start()
            client.addListener { _ in }
            _ = client.user("ada").decide("a")
            try await wait("polling sleeps") { clock.sleeperCount >= 1 }
            await client.close()
        }
        try await wait("the client is released") { released == nil }
    }

    /// A client that is not closed leaves nothing running.
    @Test func clientsThatAreNotClosedAreReleasedToo() async throws {
        let clock = ManualClock()
        weak var released: FlagClient?
        do {
            let client = FlagClient(
                .quiet {
                    $0.datafiles = .memory(Self.datafile(1))
                    $0.pollingInterval = .seconds(60)
                    $0.clock = clock
                })
            released = client
            try await client.start()
            client.addListener { _ in }
            try await wait("polling sleeps") { clock.sleeperCount == 1 }
        }
        try await wait("the client is released") { released == nil }
        try await wait("polling has ended") { clock.sleeperCount == 0 }
    }
}
