import Foundation
import TestSupport
import TurnoutServer

/// A server on a free port, with the datafile of the sample shop and its events in a folder.
final class LiveServer: Sendable {
    static let key = "ShopDemoSdkKey"
    static let token = "datafile-token"

    let port: UInt16
    let directory = TemporaryDirectory()
    private let server: Server
    private let stopped = Locked(false)

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - isProtected: Whether the datafile is available only with ``token``. Default: false.
    ///   - upstream: The address of a server whose datafile is relayed. Default: nil, the sample shop's is served.
    ///   - pollingInterval: How often the other server is asked. Default: 100 milliseconds.
    ///   - maximumLogSize: The bytes of events that may wait. Default: nil, the standard.
    /// - Throws: An error if the server cannot listen.
    init(
        isProtected: Bool = false, upstream: String? = nil, pollingInterval: Duration = .milliseconds(100),
        maximumLogSize: Int? = nil
    ) throws {
        var configuration = ServerConfiguration()
        configuration.shutdown.delay = .zero
        configuration.access.allowsProfileRoutes = true
        configuration.pollingInterval = pollingInterval
        if isProtected { configuration.datafileTokens = ["\(Self.key):\(Self.token)"] }
        let zlib = Zlib()
        if let maximumLogSize { configuration.events.maximumLogSize = maximumLogSize }
        var adapters = ServerAdapters(
            listener: SocketListener(threads: 2), cryptography: NettleCryptography(),
            storage: ServerStorage(directory: directory.path, configuration, messages: directory.log),
            log: StructuredLog(configuration.log) { _ in })
        adapters.compress = { zlib.gzip($0) }
        adapters.decompressor = zlib
        if let upstream { adapters.upstream = Self.source(upstream) }
        server = Server(configuration, adapters: adapters)
        if upstream == nil { try server.datafiles.publish(Self.datafile(), for: Self.key) }
        port = try server.start()
    }

    private static func source(_ upstream: String) -> @Sendable (String) -> any DatafileSource {
        var options = HTTPDatafileOptions()
        options.address = upstream + "/datafiles/{sdkKey}.json"
        options.deadline = .seconds(60)
        options.log = .silent
        return { [options] in .streaming(sdkKey: $0, transport: LiveTransport.make(), options: options) }
    }

    /// The address, without a slash at the end.
    var address: String { "http://127.0.0.1:\(port)" }

    /// Stops the server.
    func stop() async { await server.stop(immediately: true) }

    // MARK: Datafiles

    /// The datafile of the sample shop with a revision. With another one than 42, `checkout_redesign` is off.
    static func datafile(revision: String = "42") throws -> [UInt8] {
        let folder = URL(filePath: #filePath).pathComponents.dropLast(5).joined(separator: "/")
        let text = try String(contentsOfFile: folder + "/Examples/Shop/datafile.json", encoding: .utf8)
        return Array(text.replacing("\"revision\": \"42\"", with: "\"revision\": \"\(revision)\"").utf8)
    }

    /// Publishes another revision.
    func publish(revision: String) throws {
        try server.datafiles.publish(Self.datafile(revision: revision), for: Self.key)
    }

    /// Publishes a datafile.
    func publish(_ datafile: [UInt8], for sdkKey: String) throws { try server.datafiles.publish(datafile, for: sdkKey) }

    // MARK: What the server knows

    /// The number of requests of a route and status.
    func requests(_ route: String, _ status: Int) async throws -> Int {
        try await metric("turnout_http_requests_total{method=\"GET\",route=\"\(route)\",status=\"\(status)\"}")
    }

    /// The value of a metric, with its labels.
    func metric(_ name: String) async throws -> Int {
        let text = String(decoding: try await get("/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? 0
    }

    /// The response to a request.
    func get(_ path: String) async throws -> HTTPResponse {
        try await LiveTransport.make().send(HTTPRequest(.get, address + path, deadline: .seconds(60)))
    }

    /// The response to a request with a body and the SDK key.
    func post(_ path: String, _ body: [UInt8], _ headers: [String: String] = [:]) async throws -> HTTPResponse {
        let standard = ["Content-Type": "application/json", "X-Optimizely-SDK-Key": Self.key]
        let request = HTTPRequest(
            .post, address + path, headers: standard.merging(headers) { $1 }, body: body, deadline: .seconds(60))
        return try await LiveTransport.make().send(request)
    }

    /// The response to a decision.
    func decide() async throws -> HTTPResponse {
        try await post("/v1/decide?keys=checkout_redesign", Array(#"{"userId":"ada"}"#.utf8))
    }

    /// The exported events, once there are as many. Each appears as often as it was counted.
    func events(atLeast count: Int) async throws -> [Event] {
        // Fails while the server creates the file.
        try await wait("\(count) events") { (try? exported().count) ?? 0 >= count }
        return try exported()
    }

    private func exported() throws -> [Event] {
        var events: [Event] = []
        guard FileManager.default.fileExists(atPath: directory.path + "/events.sqlite") else { return [] }
        try EventExport(directory: directory.path).forEach(EventExport.Selection()) { events.append(Event($0)) }
        return events
    }
}

/// What tests look at in an exported event.
struct Event {
    let values: [String: ExportedEvent.Value]

    init(_ event: ExportedEvent) { values = Dictionary(uniqueKeysWithValues: zip(ExportedEvent.names, event.values)) }

    func text(_ name: String) -> String? {
        if case .text(let text)? = values[name] { text } else { nil }
    }
}
