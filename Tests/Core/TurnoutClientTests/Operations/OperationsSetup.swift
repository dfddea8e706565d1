/// A client that polls an in-memory server every minute, with a manual clock.
struct OperationsSetup {
    let server = DatafileServer()
    let clock = ManualClock()
    let wallClock = FixedWallClock(1_700_000_000_000)
    let log = MemoryLog()
    let client: FlagClient

    init(_ change: (inout ClientConfiguration) -> Void = { _ in }) {
        client = FlagClient(
            .quiet { [server, clock, wallClock, log] in
                $0.datafiles = .http(sdkKey: "key", transport: server.transport)
                $0.clock = clock
                $0.wallClock = wallClock
                $0.random = MidpointRandomSource()
                $0.pollingInterval = .seconds(60)
                $0.log = log
                change(&$0)
            })
    }

    /// Publishes a revision, and starts the client.
    func start(_ revision: String = "1") async throws {
        server.publish(UpdateTests.datafile(revision))
        try await client.start()
    }

    /// Moves both clocks.
    func advance(by seconds: Int) {
        wallClock.set(wallClock.millisecondsSince1970() + Int64(seconds) * 1_000)
        clock.advance(by: .seconds(seconds))
    }

    /// Lets the client poll once, a minute later.
    func poll() async throws {
        try await wait("polling sleeps") { client.status.datafile.nextPoll != nil && clock.sleeperCount > 0 }
        let requests = client.status.datafile.requests.total
        advance(by: 60)
        try await wait("the request ends") { client.status.datafile.requests.total == requests + 1 }
    }
}

extension DatafileRequests {
    var total: Int { changed + unchanged + failed }
}
