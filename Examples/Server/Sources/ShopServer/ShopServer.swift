import TurnoutClient

/// A service that decides flags for the requests on standard input, until they end or it is stopped.
@main
struct ShopServer {
    static func main() async {
        guard let options = Options(CommandLine.arguments.dropFirst()) else { System.stop(Options.usage) }
        if options.isDemo, let path = options.datafile { await demo(path) } else { await serve(options) }
    }

    /// Responds to requests on standard input until it ends or the process gets SIGTERM or SIGINT. Without a datafile
    /// server, it starts with the last datafile that it downloaded.
    private static func serve(_ options: Options) async {
        let service = await started(ClientConfiguration(options))
        let requests = RequestLines()
        let signals = System.onTermination { requests.end() }
        await service.respond(to: requests.lines) { System.write($0 + "\n") }
        signals.forEach { $0.cancel() }
        await service.close()
        System.write(service.report)
    }

    /// A synthetic load, decided with one datafile and then with a newer one.
    private static func demo(_ path: String) async {
        guard let datafile = System.contents(ofFile: path) else { System.stop("\(path) cannot be read") }
        let source = MemoryDatafileSource(datafile)
        var configuration = ClientConfiguration()
        configuration.datafiles = source
        configuration.profiles = .memory
        let service = await started(configuration)

        await service.respond(to: Load.requests(of: 1...1_000)) { _ in }
        source.publish(Load.datafileOfTheNextDay(after: datafile))
        print(await service.refresh())
        await service.respond(to: Load.requests(of: 1...2_000)) { _ in }
        await service.close()
        print(service.report, terminator: "")
    }

    private static func started(_ configuration: ClientConfiguration) async -> Service {
        let service = Service(configuration)
        do throws(StartError) { try await service.client.start() } catch { System.stop("\(error)") }
        return service
    }
}
