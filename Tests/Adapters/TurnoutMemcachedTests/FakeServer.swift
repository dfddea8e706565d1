#if Memcached
    import Foundation
    import TestSupport
    import TurnoutClient
    import TurnoutMemcached

    /// A server that gives one answer after the other, whatever it is asked; the last one again and again. Without any
    /// it never answers.
    final class FakeServer: Sendable {
        private let listener: TestSocket
        private let answers: [String]
        private let isOver = Locked(false)
        let server: MemcachedAddress

        init(_ answers: String...) throws {
            self.answers = answers
            let (socket, port) = try TestSocket.listening()
            listener = socket
            server = .host("127.0.0.1", port: port)
            BlockingCall.start { [self] in accept() }
        }

        /// Ends it, with all its connections.
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
            var rest = answers[...]
            while !isOver.withLock({ $0 }) {
                guard client.isReadable(within: 20) else { continue }
                guard !client.read().isEmpty else { return }
                guard let answer = rest.first else { continue }
                client.write(Array(answer.utf8))
                if rest.count > 1 { rest.removeFirst() }
            }
            client.end()
        }
    }
#endif
