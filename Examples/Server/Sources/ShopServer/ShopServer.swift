import TurnoutClient

/// A service that decides flags for the requests on standard input, until they end or it is stopped.
@main
struct ShopServer {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.last, arguments.count == 1 || arguments.first == "--demo" else {
            System.stop("usage: shop-server [--demo] DATAFILE")
        }
        if arguments.count == 1 { await serve(path) } else { await demo(path) }
    }

    /// Responds to requests on standard input with a datafile that may be replaced at any time.
    private static func serve(_ path: String) async {
        var configuration = ClientConfiguration()
        configuration.datafiles = WatchedFile(path)
        configuration.pollingInterval = .seconds(1)
        // Reading a file is cheap, so short intervals are fine.
        configuration.minimumPollingInterval = .seconds(1)
        configuration.log = .standardError(level: .info)
        let service = await started(configuration)

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
