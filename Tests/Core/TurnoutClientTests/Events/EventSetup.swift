/// A client that sends its events to an in-memory network, with a manual clock.
struct EventSetup {
    let client: FlagClient
    let store: MemoryEventStore
    let transport: MemoryTransport
    let clock: ManualClock
    let log: MemoryLog

    init(
        _ script: Script = Script(.event("purchase")), limit: Int = 10_000,
        _ change: (inout ClientConfiguration) -> Void = { _ in },
        respond: @escaping MemoryTransport.Handler = { _ in HTTPResponse(status: 204) }
    ) {
        let clock = ManualClock()
        (store, log) = (MemoryEventStore(limit: limit), MemoryLog())
        transport = MemoryTransport(respond)
        self.clock = clock
        client = FlagClient.scripted(
            script,
            configuration: .quiet { [store, transport, log] in
                $0.eventStore = store
                $0.transport = transport
                $0.clock = clock
                $0.random = EvenChance()
                $0.log = log
                change(&$0)
            })
    }

    func track(_ count: Int) throws {
        for number in 0..<count { try client.user("user \(number)").track("purchase") }
    }

    /// The users in each request.
    var batches: [[String]] {
        get throws {
            try transport.requests.map { try Self.users($0) }
        }
    }

    /// The users in a request.
    static func users(_ request: HTTPRequest) throws -> [String] {
        guard case .array(let visitors)? = try JSONValue(parsing: request.body)["visitors"] else { return [] }
        return visitors.map { if case .string(let id)? = $0["visitor_id"] { id } else { "" } }
    }
}

/// Always the middle of the random range, so that pauses have their nominal length.
struct EvenChance: RandomSource {
    func next() -> UInt64 { 1 << 63 }
}
