import Foundation
import TestSupport
import TurnoutServer

/// A listener on a free port, with some routes.
final class TestServer: Sendable {
    let listener: SocketListener
    let port: Int
    /// The requests that routes have seen.
    let requests = Collected<ServerRequest>()

    init(
        _ limits: ListenerLimits = ListenerLimits(), certificate: CertificateFiles? = nil, threads: Int = 2,
        _ routes: [Route] = []
    ) throws {
        listener = SocketListener(certificate: certificate, limits: limits, threads: threads)
        let requests = requests
        let limit = BodyLimit(size: 1_000, refusal: RequestRefusal(413, "echo less"))
        let coding = BodyCoding(decompressor: Zlib())
        let table = RouteTable(
            routes + [
                Route("GET", "/", "greets") { request in
                    requests.add(request)
                    return .now(.text(200, "hello"))
                },
                Route("POST", "/echo", "answers with the body", bodyLimit: limit) { request in
                    var request = request
                    if let refusal = coding.expand(&request, limit: limit) { return .now(refusal) }
                    requests.add(request)
                    return .now(ServerResponse(200, body: .bytes(request.body)))
                },
            ])
        port = Int(try listener.start(table))
    }

    var counts: ListenerCounts { listener.counts }

    /// A new connection.
    func connect() throws -> TestConnection { TestConnection(try TestSocket.connected(to: port)) }

    /// Sends bytes on a new connection, and returns what the server sends until it closes the connection.
    func answer(to bytes: [UInt8]) throws -> String {
        let connection = try connect()
        connection.send(bytes)
        return connection.rest()
    }

    func answer(to text: String) throws -> String { try answer(to: Array(text.utf8)) }

    /// Whether a new connection is answered.
    func isAlive() throws -> Bool {
        try answer(to: "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").hasSuffix("hello")
    }

    func stop(within limit: Duration = .seconds(60)) async { await listener.stop(within: limit) }
}

extension Route {
    /// `GET /later`, which responds when a gate is open.
    static func later(
        _ gate: Gate, _ response: @escaping @Sendable () -> ServerResponse = { .text(200, "late") }
    ) -> Route {
        Route("GET", "/later", "waits") { _ in
            .later {
                await gate.pass()
                return response()
            }
        }
    }
}

/// A connection of a client that sends what it likes.
final class TestConnection: Sendable {
    let socket: TestSocket
    private let received = Locked<[UInt8]>([])

    init(_ socket: TestSocket) { self.socket = socket }

    func send(_ text: String) { socket.write(Array(text.utf8)) }
    func send(_ bytes: [UInt8]) { socket.write(bytes) }

    /// Sends nothing more. The server closes the connection after its response.
    func finish() { shutdown(socket.descriptor, Int32(SHUT_WR)) }

    /// Everything until the server closes the connection.
    func rest() -> String {
        while readMore() {}
        return String(decoding: take(), as: UTF8.self)
    }

    /// Everything up to and with a text; empty if the connection ends before.
    func read(to end: String) -> String {
        let end = Array(end.utf8)
        var searched = 0
        while true {
            let found = received.withLock { received -> [UInt8]? in
                while searched + end.count <= received.count, !received[searched...].starts(with: end) { searched += 1 }
                guard searched + end.count <= received.count else { return nil }
                defer { received.removeFirst(searched + end.count) }
                return Array(received[..<(searched + end.count)])
            }
            if let found { return String(decoding: found, as: UTF8.self) }
            guard readMore() else { return "" }
        }
    }

    /// The head of the next response.
    func readHead() -> String { read(to: "\r\n\r\n") }

    private func readMore() -> Bool {
        let bytes = socket.read()
        received.withLock { $0 += bytes }
        return !bytes.isEmpty
    }

    private func take() -> [UInt8] {
        received.withLock { received in
            defer { received = [] }
            return received
        }
    }
}
