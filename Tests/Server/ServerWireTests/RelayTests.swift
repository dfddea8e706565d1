import LoopbackServer
import TestSupport

/// A server that relays the datafiles of another one, which fails or sends nonsense.
@Suite("Relaying", .blocking)
struct RelayTests {
    private static let path = "/datafiles/\(LiveServer.key).json"

    /// What the other server sends.
    enum Lie: String, CaseIterable, Codable, Sendable {
        case garbage, nothing, part, otherProject, otherKey, failure, redirectLoop, notModified, brokenConnection

        func reply(_ datafile: [UInt8]) -> Reply {
            let text = String(decoding: datafile, as: UTF8.self)
            return switch self {
            case .garbage: .json("<html>Log in to this network</html>")
            case .nothing: .body([])
            case .part: .body(datafile).stopping(after: 1_000)
            case .otherProject: .json(text.replacing("\"100300\"", with: "\"7\""))
            case .otherKey: .json(text.replacing(LiveServer.key, with: "AnotherKey"))
            case .failure: .status(500)
            case .redirectLoop: .redirect(to: RelayTests.path)
            case .notModified: .status(304)
            case .brokenConnection: .reset
            }
        }
    }

    @Test(arguments: Lie.allCases)
    func theLastGoodDatafileStaysInUse(_ lie: Lie) async throws {
        let upstream = try LoopbackServer()
        try upstream.always(.body(try LiveServer.datafile()), to: Self.path)
        let server = try LiveServer(upstream: upstream.address)
        let first = try await server.get(Self.path)
        #expect(first.status == 200)
        try upstream.always(lie.reply(try LiveServer.datafile(revision: "43")), to: Self.path)
        let count = try upstream.requests(to: Self.path).count
        _ = try await upstream.requests(to: Self.path, atLeast: count + 2)
        let second = try await server.get(Self.path)
        #expect(second.body == first.body && second.headers["etag"] == first.headers["etag"])
        #expect(try await server.decide().status == 200)
        // It recovers with the other server.
        let newer = try LiveServer.datafile(revision: "44")
        try upstream.always(.body(newer), to: Self.path)
        try await wait("the newer datafile") { try await server.get(Self.path).body == newer }
        await server.stop()
    }

    @Test func anEarlierRevisionIsServedAsANewVersion() async throws {
        let upstream = try LoopbackServer()
        try upstream.always(.body(try LiveServer.datafile(revision: "43")), to: Self.path)
        let server = try LiveServer(upstream: upstream.address)
        let first = try await server.get(Self.path)
        // An operator may return to it: revisions are names, and their order means nothing.
        let earlier = try LiveServer.datafile(revision: "42")
        try upstream.always(.body(earlier), to: Self.path)
        try await wait("the earlier revision") { try await server.get(Self.path).body == earlier }
        let second = try await server.get(Self.path)
        #expect(second.headers["etag"] != first.headers["etag"])
        let times = [first, second].map { $0.headers["last-modified"].flatMap(HTTPDate.millisecondsSince1970) ?? 0 }
        #expect(times[0] < times[1])
        await server.stop()
    }

    @Test func theStatusSaysHowChangesAreFound() async throws {
        let upstream = try LiveServer()
        let server = try LiveServer(upstream: upstream.address)
        _ = try await server.get(Self.path)
        let isNamed = { (updates: String) in
            let text = String(decoding: try await server.get("/status").body, as: UTF8.self)
            let keys = try await server.metric("turnout_upstream_keys{updates=\"\(updates)\"}")
            return text.contains("\"updates\":\"\(updates)\"") && keys == 1
        }
        try await wait("the stream") { try await isNamed("stream") }
        await upstream.stop()
        try await wait("the end of the stream") { try await isNamed("polling") }
        #expect(try await server.decide().status == 200)
        await server.stop()
    }

    @Test func aServerWithoutItsUpstreamSendsRetryAfter() async throws {
        let upstream = try LoopbackServer()
        let server = try LiveServer(upstream: upstream.address)
        upstream.stop()
        let datafile = try await server.get(Self.path)
        #expect(datafile.status == 503 && datafile.headers["retry-after"] == "5")
        #expect(try await server.decide().status == 500)
        await server.stop()
    }
}
