import Foundation
import TestSupport
import TurnoutClient
import TurnoutMemcached

/// A server that sends scripted responses in order, whatever the request, and repeats the last. Without responses it
/// sends nothing.
final class FakeServer: Sendable {
    private let listener: TestSocket
    private let responses: [String]
    /// Milliseconds before each response, and the response to each received line; nil means one response to all lines.
    private let toLines: (pause: UInt32, response: String)?
    private let pauses = Locked(0)
    private let isOver = Locked(false)
    let server: ProfileServerAddress

    convenience init(_ responses: String...) throws { try self.init(responses, toLines: nil) }

    /// Responds to each received line after a pause, as a server behind a slow network.
    convenience init(pause: UInt32, toEachLine response: String) throws {
        try self.init([], toLines: (pause, response))
    }

    private init(_ responses: [String], toLines: (pause: UInt32, response: String)?) throws {
        self.responses = responses
        self.toLines = toLines
        let (socket, port) = try TestSocket.listening()
        listener = socket
        server = .host("127.0.0.1", port: port)
        BlockingCall.start { [self] in accept() }
    }

    /// The number of pauses so far.
    var pauseCount: Int { pauses.withLock { $0 } }

    /// Stops the server and closes its connections.
    func stop() { isOver.withLock { $0 = true } }

    private func accept() {
        while !isOver.withLock({ $0 }) {
            guard listener.isReadable(within: 20),
                let client = try? TestSocket(Foundation.accept(listener.descriptor, nil, nil))
            else { continue }
            BlockingCall.start { [self] in talk(to: client) }
        }
    }

    private func talk(to client: TestSocket) {
        var rest = responses[...]
        while !isOver.withLock({ $0 }) {
            guard client.isReadable(within: 20) else { continue }
            let bytes = client.read()
            guard !bytes.isEmpty else { return }
            if let toLines {
                usleep(toLines.pause * 1_000)
                pauses.withLock { $0 += 1 }
                for byte in bytes where byte == 0x0A { client.write(Array(toLines.response.utf8)) }
            }
            guard let response = rest.first else { continue }
            client.write(Array(response.utf8))
            if rest.count > 1 { rest.removeFirst() }
        }
        client.end()
    }
}
