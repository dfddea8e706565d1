import TurnoutClient

/// A client whose requests are printed.
struct EventPrinter {
    private let client: Client
    private let transport: MemoryTransport

    init(datafile: String, eventsPerRequest: Int) throws {
        let transport = MemoryTransport()
        var configuration = ClientConfiguration()
        configuration.transport = transport
        configuration.log = .silent
        configuration.events.eventsPerRequest = eventsPerRequest
        client = try Client(datafile: Array(datafile.utf8), configuration)
        self.transport = transport
    }

    /// Makes a call, and prints the requests that follow from it: `{"step":7,"method":"POST","url":…,"body":{…}}`.
    func play(_ call: Step.Call, for user: User, as number: Int) async {
        let before = transport.requests.count
        make(call, for: user)
        await client.flush()
        for request in transport.requests[before...] { print(Self.line(request, number)) }
    }

    private func make(_ call: Step.Call, for user: User) {
        switch call {
        case .decide(let flag, let options): _ = client.decide(flag, for: user, options: options)
        case .decideSome(let flags, let options): _ = client.decide(flags, for: user, options: options)
        case .decideAll(let options): _ = client.decideAll(for: user, options: options)
        // An event that the datafile does not have is an error for the caller, and nothing is sent.
        case .track(let event, let tags): try? client.track(event, for: user, tags: tags)
        }
    }

    private static func line(_ request: HTTPRequest, _ number: Int) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("step")
        writer.integer(Int64(number))
        writer.key("method")
        writer.string(request.method.rawValue)
        writer.key("url")
        writer.string(request.url)
        writer.key("headers")
        writer.value(.object(request.headers.mapValues { .string($0) }))
        writer.endObject()
        // The body is printed as it is, so that reading and writing it again hides nothing.
        return "\(writer.text.dropLast()),\"body\":\(String(decoding: request.body, as: UTF8.self))}"
    }
}
