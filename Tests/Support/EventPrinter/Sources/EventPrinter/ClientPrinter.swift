import TurnoutClient

/// A client with an in-memory network.
struct ClientPrinter: EventPrinter {
    private let client: FlagClient
    private let transport = MemoryTransport()

    init(_ setup: Setup) throws {
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.log = .silent
        configuration.events.eventsPerRequest = setup.eventsPerRequest
        client = try FlagClient(datafile: Array(setup.datafile.utf8), configuration)
    }

    func requests(after call: Step.Call, for user: User) async -> [SentRequest] {
        let before = transport.requests.count
        make(call, for: user)
        await client.flush()
        return transport.requests[before...].map { request in
            SentRequest(
                method: (request.method.rawValue, request.headers), url: request.url,
                body: String(decoding: request.body, as: UTF8.self))
        }
    }

    private func make(_ call: Step.Call, for user: User) {
        switch call {
        case .decide(let flag, let options): _ = client.decide(flag, for: user, options: .init(names: options))
        case .decideSome(let flags, let options): _ = client.decide(flags, for: user, options: .init(names: options))
        case .decideAll(let options): _ = client.decideAll(for: user, options: .init(names: options))
        // An unknown event is an error for the caller, and nothing is sent.
        case .track(let event, let tags): try? client.track(event, for: user, tags: tags)
        }
    }
}
