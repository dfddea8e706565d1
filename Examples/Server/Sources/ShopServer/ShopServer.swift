import TurnoutClient

/// A service that decides flags over HTTP, until the process gets SIGTERM or SIGINT.
@main
struct ShopServer {
    static func main() async {
        do {
            try await serve(Options(CommandLine.arguments.dropFirst()))
        } catch let error as UsageError {
            System.stop("\(error.description)\n\(Options.usage)", status: 2)
        } catch { System.stop("\(error)") }
    }

    private static func serve(_ options: Options) async throws {
        let (terminations, continuation) = AsyncStream.makeStream(of: Void.self)
        let signals = System.onTermination { continuation.yield() }
        defer { signals.forEach { $0.cancel() } }
        let service = Service(ClientConfiguration(options))
        let server = try HTTPServer(host: options.host, port: options.port) { await service.respond(to: $0) }
        System.write("listening on \(options.host), port \(server.port)\n")
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Without a datafile the client keeps polling. It only throws if that is of no use.
            group.addTask { try await service.client.run(closingWithin: .seconds(10)) }
            group.addTask {
                for await _ in terminations { break }
                // First, so that a load balancer sends requests elsewhere while they are still accepted here.
                service.stop()
                try? await Task.sleep(for: options.shutdownDelay)
                await server.stop(within: .seconds(10))
            }
            try await group.next()
            // Cancels the client, which then delivers its events.
            group.cancelAll()
            try await group.waitForAll()
        }
        System.write("stopped\n\(service.client.status)\n")
    }
}
